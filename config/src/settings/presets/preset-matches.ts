import type { Match } from '../sections/rule.ts';

/** What each preset matches. */

/**
 * A visitor that was caught lying, or is a driven browser, is not let through for its path. The other findings
 * fit honest programs too: they name themselves, send few headers, and come from a hosting provider.
 */
export const CAUGHT_LYING: Match = {
  category: [
    'crawler_impersonator',
    'automated_browser',
    'fingerprint_mismatch',
    'challenge_failure',
  ],
};

/** File extensions of scripts. */
const SCRIPTS =
  'php[0-9]?|phtml|asp|aspx|ashx|jsp|jspx|cfm|cfc|do|action|cgi|fcgi|pl|py|rb|shtml|exe|dll';

/**
 * A path that goes on behind the name of a script (RFC 3875 4.1.5, PATH_INFO). Such a server runs the
 * script and takes the rest for an argument: `/shop.php/feed` is the shop. In `/cgi-bin/` each name is a script.
 */
const BEHIND_A_SCRIPT: Match = {
  path: [{ regex: String.raw`(?i)(\.(${SCRIPTS})|/f?cgi-bin)/` }],
};

/**
 * Parameters by which an application answers with its text on each path that is no file, under a type that does not tell
 * it: WordPress with posts, as JSON, a script or a feed, and MediaWiki and DokuWiki with the source of a page.
 */
export const ASKS_FOR_TEXT: Match = {
  any: [
    { query: { rest_route: '?**' } },
    { query: { feed: '?**' } },
    { query: { action: { regex: '(?i)^raw$' } } },
    // DokuWiki drops other characters from the value, and takes `do[export_raw]=` too.
    { query: { do: '**' } },
  ],
};

/** An application answers these, whatever kind of file the path names. */
export const ANSWERED_BY_APPLICATION: Match = { any: [BEHIND_A_SCRIPT, ASKS_FOR_TEXT] };

/**
 * These need no preset: a browser that has passed keeps the limits of its pass, and a proved crawler of the allowlist is
 * let through by a rule that has no limit.
 */
const NEEDS_NO_PRESET: Match = {
  any: [{ session: 'verified' }, { crawler: { verified: true, allowlisted: true } }],
};

/** Requests that no preset with a path lets through: they are not what the path says, or need no preset. */
export const NOT_LET_THROUGH: Match = {
  any: [CAUGHT_LYING, NEEDS_NO_PRESET, ANSWERED_BY_APPLICATION],
};

/** Files of RFC 8615, and older ones of that kind: each is made for programs, and a site has one of each. */
export const wellKnown: Match = {
  any: [
    {
      method: ['GET', 'HEAD', 'OPTIONS'],
      path: [
        '/.well-known/**',
        '/robots.txt',
        '/security.txt',
        '/humans.txt',
        '/ads.txt',
        '/app-ads.txt',
        '/favicon.ico',
        '/apple-touch-icon*.png',
        // Browsers fetch a manifest without cookies, so no session can ever cover it.
        '/manifest.json',
        '/manifest.webmanifest',
        '/site.webmanifest',
      ],
    },
    // RFC 6764 6: clients look for the calendar and the address book with PROPFIND.
    { method: ['PROPFIND'], path: ['/.well-known/caldav', '/.well-known/carddav'] },
  ],
  not: NOT_LET_THROUGH,
};

/**
 * RSS, Atom, JSON Feed and calendars under the names that blogs, forges and shops give them. Any program may read
 * one, so no User-Agent is asked for.
 */
export const feeds: Match = {
  method: ['GET', 'HEAD'],
  path: [
    '/**/*.rss',
    '/**/*.atom',
    '/**/*.rdf',
    '/**/feed',
    '/**/feed/',
    '/**/feed/atom',
    '/**/feed/atom/',
    '/**/feed/rss2',
    '/**/feed/rss2/',
    // Podcasts of WordPress, one of them or one of each show.
    '/**/feed/podcast',
    '/**/feed/podcast/',
    '/**/feed/podcast/*',
    '/**/feed/podcast/*/',
    '/**/podcast.xml',
    // Pelican, Blogger, Movable Type.
    '/**/*.atom.xml',
    '/**/*.rss.xml',
    '/**/feeds/posts/default',
    '/**/rss2.xml',
    '/**/rss',
    '/**/rss/',
    '/**/atom',
    '/**/atom/',
    '/**/feed.xml',
    '/**/rss.xml',
    '/**/atom.xml',
    '/**/index.xml',
    '/**/feed.json',
    // DokuWiki, phpBB.
    '/**/feed.php',
    // Calendars that people subscribe to (RFC 5545).
    '/**/*.ics',
  ],
  not: NOT_LET_THROUGH,
};

const LFS_JSON = 'application/vnd.git-lfs+json*';

/**
 * Smart HTTP as gitprotocol-http has it, and the batch, lock and object requests of git-lfs. By path, method
 * and form alone: any program can send the User-Agent `git/2`, and JGit, go-git and CI runners send another.
 */
export const git: Match = {
  any: [
    {
      method: ['GET'],
      path: ['/**/info/refs'],
      query: { service: { regex: '^git-(upload|receive)-pack$' } },
    },
    {
      method: ['POST'],
      path: ['/**/git-upload-pack'],
      header: { 'content-type': 'application/x-git-upload-pack-request' },
    },
    {
      method: ['POST'],
      path: ['/**/git-receive-pack'],
      header: { 'content-type': 'application/x-git-receive-pack-request' },
    },
    {
      method: ['POST'],
      path: [
        '/**/info/lfs/objects/batch',
        '/**/info/lfs/verify',
        '/**/info/lfs/locks',
        '/**/info/lfs/locks/verify',
        '/**/info/lfs/locks/*/unlock',
      ],
      header: { 'content-type': LFS_JSON },
    },
    { method: ['GET'], path: ['/**/info/lfs/locks'], header: { accept: LFS_JSON } },
    {
      method: ['GET', 'PUT'],
      path: ['/**/info/lfs/objects/*', '/**/info/lfs/objects/*/*'],
    },
  ],
  not: NOT_LET_THROUGH,
};

/** Senders of the catalogue whose operators publish where their webhooks come from. */
export const WEBHOOK_SENDERS = ['Stripe', 'PagerDuty-Webhook'] as const;

/**
 * Webhooks: of proved senders on any path, and of every sender on `paths`. Some senders ask a path with GET,
 * HEAD or OPTIONS first, to see that it wants them.
 */
export function webhooks(paths: readonly string[]): Match {
  const proved: Match = {
    method: ['POST'],
    crawler: { name: [...WEBHOOK_SENDERS], verified: true },
  };
  if (paths.length === 0) return proved;
  const named: Match = {
    method: ['POST', 'PUT', 'GET', 'HEAD', 'OPTIONS'],
    path: [...paths],
    not: CAUGHT_LYING,
  };
  return { any: [proved, named] };
}

/** Uptime monitors whose claim is proved; reading only. */
export const monitors: Match = {
  method: ['GET', 'HEAD'],
  crawler: { category: ['Monitoring'], verified: true },
};

/** Programs that make the card of a shared link, and whose claim is proved; reading only. */
export const linkPreviews: Match = {
  method: ['GET', 'HEAD'],
  crawler: { category: ['Preview', 'Social Media'], verified: true },
};
