import type { Match } from '../sections/rule.ts';

/**
 * Visitors that lie about what they are, and automated browsers. No preset lets them through. Other findings can also
 * be made in honest programs: these name themselves, send few headers, and come from a hosting provider.
 */
const CAUGHT_LYING: Match = {
  category: [
    'crawler_impersonator',
    'automated_browser',
    'fingerprint_mismatch',
    'challenge_failure',
  ],
};

const SCRIPTS =
  'php[0-9]?|phtml|asp|aspx|ashx|jsp|jspx|cfm|cfc|do|action|cgi|fcgi|pl|py|rb|shtml|exe|dll';

/**
 * A path with more text after the name of a script (RFC 3875 4.1.5, PATH_INFO). The server runs the script with the
 * rest as an argument: `/shop.php/feed` is the shop. In `/cgi-bin/` each name is a script.
 */
const PATH_AFTER_SCRIPT: Match = {
  path: [{ regex: String.raw`(?i)(\.(${SCRIPTS})|/f?cgi-bin)/` }],
};

const TEXT_PARAMETERS: readonly Match[] = [
  { query: { rest_route: '?**' } },
  { query: { feed: '?**' } },
  { query: { action: { regex: '(?i)^raw$' } } },
];

/**
 * Parameters with which an application serves its content on any path, with a content type that hides this: WordPress
 * serves posts as JSON, a script or a feed. MediaWiki and DokuWiki serve the source of a page.
 */
export const ASKS_FOR_TEXT: Match = {
  any: [
    ...TEXT_PARAMETERS,
    // DokuWiki drops other characters from the value, and accepts `do[export_raw]=` too.
    { query: { do: '**' } },
  ],
};

/** The answers to these requests come from an application, and not from the file that the path names. */
export const ANSWERED_BY_APPLICATION: Match = { any: [PATH_AFTER_SCRIPT, ASKS_FOR_TEXT] };

/**
 * Visitors that need no preset. A browser that has passed a challenge keeps the limits of its pass. The allowlist lets
 * a verified crawler through without a limit.
 */
const NEEDS_NO_PRESET: Match = {
  any: [{ session: 'verified' }, { crawler: { verified: true, allowlisted: true } }],
};

/**
 * Requests that no preset with a path lets through, because their path is misleading or because they need no preset.
 */
export const NOT_LET_THROUGH: Match = {
  any: [CAUGHT_LYING, NEEDS_NO_PRESET, ANSWERED_BY_APPLICATION],
};

/**
 * Files of RFC 8615 and older files of this kind. Each of these files is for programs, and a site has each file once.
 */
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
        // Browsers fetch a manifest without cookies, so the request has no session.
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
 * RSS, Atom, JSON Feed and calendars, under the names that blogs, forges and shops use. Any program may read them, so
 * the match has no User-Agent.
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
    // The podcast of a WordPress site, or the podcast of each show.
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
 * Smart HTTP (gitprotocol-http), and the batch, lock and object requests of git-lfs. The User-Agent is not a condition:
 * any program can send `git/2`, and JGit, go-git and CI runners send other User-Agents.
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

/** Senders of the catalogue whose operators publish the addresses of their webhooks. */
export const WEBHOOK_SENDERS = ['Stripe', 'PagerDuty-Webhook'] as const;

/**
 * Webhooks of verified senders on any path, and of every sender on `paths`. Some senders first test the path with GET,
 * HEAD or OPTIONS.
 */
export function webhooks(paths: readonly string[]): Match {
  const verifiedSenders: Match = {
    method: ['POST'],
    crawler: { name: [...WEBHOOK_SENDERS], verified: true },
  };
  if (paths.length === 0) return verifiedSenders;
  const namedPaths: Match = {
    method: ['POST', 'PUT', 'GET', 'HEAD', 'OPTIONS'],
    path: [...paths],
    // The parameter `do` is allowed, because shops use it in the addresses of their webhooks.
    not: { any: [CAUGHT_LYING, ...TEXT_PARAMETERS] },
  };
  return { any: [verifiedSenders, namedPaths] };
}

/** Verified uptime monitors. The preset allows only reading methods. */
export const monitors: Match = {
  method: ['GET', 'HEAD'],
  crawler: { category: ['Monitoring'], verified: true },
};

/** Verified programs that make the preview of a shared link. The preset allows only reading methods. */
export const linkPreviews: Match = {
  method: ['GET', 'HEAD'],
  crawler: { category: ['Preview', 'Social Media'], verified: true },
};
