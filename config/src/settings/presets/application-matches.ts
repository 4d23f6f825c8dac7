import type { Match } from '../sections/rule.ts';
import { NOT_LET_THROUGH } from './preset-matches.ts';

/**
 * WordPress starts its scheduled tasks by a request to its own public address, without a cookie and with the User-Agent
 * of a crawler of the catalogue. For any client, the page is empty and runs only tasks that are due. Requests that send
 * a form do not match, because plugins read forms at every address.
 */
export const wpCron: Match = {
  path: ['/**/wp-cron.php'],
  any: [{ method: ['GET', 'HEAD'] }, { method: ['POST'], header: { 'content-length': '0' } }],
  not: NOT_LET_THROUGH,
};

/** Debian's repository format: indexes are below `dists`, and packages are below `pool`. */
export const apt: Match = {
  method: ['GET', 'HEAD'],
  path: [
    '/**/dists/**/InRelease',
    '/**/dists/**/Release',
    '/**/dists/**/Release.gpg',
    '/**/dists/**/Packages',
    '/**/dists/**/Packages.*',
    '/**/dists/**/Sources',
    '/**/dists/**/Sources.*',
    '/**/dists/**/Contents-*',
    '/**/dists/**/Components-*',
    '/**/dists/**/Translation-*',
    '/**/dists/**/by-hash/*/*',
    '/**/pool/**/*.deb',
    '/**/pool/**/*.udeb',
    '/**/pool/**/*.dsc',
    '/**/pool/**/*.tar.*',
    '/**/pool/**/*.diff.gz',
  ],
  not: NOT_LET_THROUGH,
};

const IMAGE = '/v2/[a-z0-9][a-z0-9._/-]*';
const DIGEST = '[a-z0-9]+:[0-9a-f]+';

/** The paths of OCI's distribution specification. Clients use them only below `/v2/` of a host. */
export const containers: Match = {
  any: [
    { method: ['GET', 'HEAD'], path: ['/v2/', '/v2/_catalog'] },
    { method: ['GET', 'POST'], path: ['/v2/token'] },
    {
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      path: [
        { regex: `^${IMAGE}/manifests/[A-Za-z0-9._:-]+$` },
        { regex: `^${IMAGE}/blobs/(${DIGEST}|uploads/[A-Za-z0-9._=-]*)$` },
      ],
    },
    {
      method: ['GET', 'HEAD'],
      path: [{ regex: `^${IMAGE}/(tags/list|referrers/${DIGEST})$` }],
    },
  ],
  not: NOT_LET_THROUGH,
};

const PICTURES = 'avif|gif|ico|jpe?g|png|svg|webp';
const SOUND_AND_FILMS = 'aac|flac|m3u8|m4[abvs]|mkv|mov|mp3|mp4|mpd|og[agv]|opus|ts|vtt|wav|webm';

/** Proxies of mail services that fetch the pictures of mails for people. */
const MAIL_PROXIES = ['GoogleImageProxy', 'YahooMailProxy'];

/**
 * Files that mail programs, podcast apps and players fetch. Other crawlers do not match, so a site that blocks AI
 * crawlers also blocks them from its pictures.
 */
export const media: Match = {
  method: ['GET', 'HEAD'],
  path: [{ regex: `(?i)[^/]\\.(${PICTURES}|${SOUND_AND_FILMS})$` }],
  any: [
    { crawler: { identified: false } },
    { crawler: { name: MAIL_PROXIES } },
    { crawler: { category: ['Feed Readers'] } },
  ],
  not: NOT_LET_THROUGH,
};
