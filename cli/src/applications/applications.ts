import { type Application, FEEDS } from './application.ts';
import { FORGES } from './forges.ts';

const MEDIA = { preset: 'media', why: 'Mail programs and apps fetch pictures and sound.' } as const;

/**
 * The applications that Guard recognises, and the settings that their programs need. The guide repeats this table. The
 * budget of each rule is far above the number of requests from the programs at one address. A rule for an interface that
 * pages use too has a low budget, and does not match visitors who have passed a challenge: they have the limits of their
 * pass.
 */
export const APPLICATIONS = {
  wordpress: {
    title: 'WordPress',
    signs: [
      { kind: 'header', name: 'link', has: 'api.w.org' },
      { kind: 'header', name: 'x-redirect-by', has: 'WordPress' },
      { kind: 'generator', name: 'WordPress ' },
      { kind: 'asset', path: '/wp-includes/' },
      { kind: 'asset', path: '/wp-content/' },
      { kind: 'text', text: 'Disallow: /wp-admin/', pathSuffix: '/robots.txt' },
    ],
    presets: [
      FEEDS,
      { preset: 'wp-cron', why: 'WordPress asks itself to start the tasks that are due.' },
      MEDIA,
    ],
    rules: [
      {
        why: 'Apps and plugins sign in with an application password. Without such an app, remove this.',
        line: "{ name: wordpress apps, match: { any: [{ path: /wp-json/** }, { path: /, query: { rest_route: { regex: '^/' } } }], header: { authorization: { regex: '^(Basic|Bearer) ' } } }, challenge: never, rate_limit: { requests: 300, per: 1m, by: ip } }",
        example: '/wp-json/wp/v2/posts',
      },
    ],
  },
  mediawiki: {
    title: 'MediaWiki',
    signs: [
      { kind: 'generator', name: 'MediaWiki ' },
      { kind: 'asset', path: '/load.php?' },
    ],
    presets: [],
    rules: [
      {
        why: 'Bots and apps use the API. It gives out all pages, so each address has a budget.',
        line: '{ name: mediawiki api, match: { path: [/api.php, /*/api.php, /rest.php/**, /*/rest.php/**], not: { any: [{ session: verified }, { path: [/*.php/api.php, /*.php/rest.php/**] }] } }, verdict: allow, rate_limit: { requests: 300, per: 1m, by: ip } }',
        example: '/w/api.php',
      },
    ],
  },
  dokuwiki: {
    title: 'DokuWiki',
    signs: [
      { kind: 'cookie', name: 'DokuWiki' },
      { kind: 'generator', name: 'DokuWiki' },
      { kind: 'asset', path: '/lib/exe/css.php' },
    ],
    presets: [FEEDS],
    rules: [
      {
        why: 'Programs use the remote API.',
        line: "{ name: dokuwiki api, match: { path: [/**/lib/exe/xmlrpc.php, /**/lib/exe/jsonrpc.php/**], method: POST, not: { path: '/**/*.php/lib/**' } }, challenge: never, rate_limit: { requests: 300, per: 1m, by: ip } }",
        example: '/lib/exe/xmlrpc.php',
      },
    ],
  },
  nextcloud: {
    title: 'Nextcloud',
    signs: [
      { kind: 'cookie', name: 'nc_sameSiteCookie' },
      { kind: 'cookie', name: '__Host-nc_sameSiteCookie' },
      { kind: 'cookie', name: 'oc_sessionPassphrase' },
    ],
    presets: [{ preset: 'well-known', why: 'Calendars and address books look for their server.' }],
    rules: [
      {
        why: 'Apps synchronise files, calendars and contacts.',
        line: '{ name: nextcloud apps, match: { path: [/remote.php/**, /public.php/**, /ocs/**, /status.php, /**/apps/*/api/**] }, challenge: never, rate_limit: { requests: 6000, per: 1m, by: ip } }',
        example: '/remote.php/dav/files/ada/',
      },
      {
        why: 'An app starts its sign-in, and asks whether it is done.',
        line: '{ name: nextcloud sign-in of apps, match: { path: [/**/login/v2, /**/login/v2/poll], method: POST }, challenge: never, rate_limit: { requests: 300, per: 1m, by: ip } }',
        example: '/index.php/login/v2/poll',
      },
    ],
  },
  ...FORGES,
  jupyter: {
    title: 'Jupyter',
    signs: [
      { kind: 'header', name: 'content-security-policy', has: '/security/csp-report' },
      { kind: 'header', name: 'x-jupyterhub-version' },
    ],
    presets: [],
    rules: [
      {
        why: 'Programs use the API with a token.',
        line: "{ name: jupyter api, match: { path: [/api/**, /user/*/api/**, /hub/api/**], header: { authorization: { regex: '(?i)^(token|bearer) ' } } }, challenge: never, rate_limit: { requests: 6000, per: 1m, by: ip } }",
        example: '/api/contents',
      },
    ],
  },
  'home-assistant': {
    title: 'Home Assistant',
    signs: [{ kind: 'asset', path: '/frontend_latest/' }],
    presets: [],
    rules: [
      {
        why: 'The phone app, sensors and scripts use the API. The app renews its token.',
        line: '{ name: home assistant apps, match: { path: [/api/**, /auth/token, /auth/revoke] }, challenge: never, rate_limit: { requests: 6000, per: 1m, by: ip } }',
        example: '/api/webhook/1',
      },
    ],
  },
  matrix: {
    title: 'Matrix (Synapse and others)',
    signs: [
      { kind: 'header', name: 'server', has: 'Synapse/' },
      { kind: 'text', text: '"versions":', pathSuffix: '/_matrix/client/versions' },
    ],
    presets: [{ preset: 'well-known', why: 'Clients and servers look for the home server.' }],
    rules: [
      {
        why: 'Other servers send signed messages, with a User-Agent that crawlers also have.',
        line: '{ name: matrix servers, match: { path: [/_matrix/federation/**, /_matrix/key/**, /_matrix/media/**] }, verdict: allow, rate_limit: { requests: 6000, per: 1m, by: ip } }',
        example: '/_matrix/federation/v1/version',
      },
      {
        why: 'Clients use the API.',
        line: '{ name: matrix clients, match: { path: [/_matrix/**, /_synapse/client/**] }, challenge: never, rate_limit: { requests: 6000, per: 1m, by: ip } }',
        example: '/_matrix/client/v3/sync',
      },
    ],
  },
  mastodon: {
    title: 'Mastodon',
    signs: [
      { kind: 'header', name: 'server', has: 'Mastodon' },
      { kind: 'cookie', name: '_mastodon_session' },
      { kind: 'text', text: "id='mastodon'" },
    ],
    presets: [
      { preset: 'well-known', why: 'Other servers look for accounts.' },
      FEEDS,
      { preset: 'media', why: 'Other servers and apps fetch pictures and films.' },
    ],
    rules: [
      {
        why: 'Other servers send signed posts, with a User-Agent that crawlers also have.',
        line: '{ name: mastodon inboxes, match: { path: [/inbox, /actor/inbox, /**/users/*/inbox], method: POST }, verdict: allow, rate_limit: { requests: 6000, per: 1m, by: ip } }',
        example: '/users/ada/inbox',
      },
      {
        why: 'Other servers read accounts and posts as ActivityPub.',
        line: "{ name: mastodon servers, match: { path: [/actor, /users/**, /ap/**, '/@*/**', /contexts/**, /emojis/**], method: GET, header: { accept: { regex: 'application/(activity|ld)[+]json' } } }, verdict: allow, rate_limit: { requests: 600, per: 1m, by: ip } }",
        example: '/users/ada',
      },
      {
        why: 'Apps use the API, and get their tokens.',
        line: '{ name: mastodon apps, match: { path: [/api/**, /oauth/token, /oauth/revoke, /nodeinfo/**] }, challenge: never, rate_limit: { requests: 6000, per: 1m, by: ip } }',
        example: '/api/v1/apps',
      },
    ],
  },
  ghost: {
    title: 'Ghost',
    signs: [
      { kind: 'generator', name: 'Ghost ' },
      { kind: 'text', text: 'Disallow: /ghost/', pathSuffix: '/robots.txt' },
    ],
    presets: [FEEDS, { preset: 'webhooks', why: 'Stripe reports what members pay.' }, MEDIA],
    rules: [
      {
        why: 'Apps and generators of static sites use the API with a key.',
        line: '{ name: ghost api, match: { path: /ghost/api/**, not: { session: verified } }, challenge: never, rate_limit: { requests: 600, per: 1m, by: ip } }',
        example: '/ghost/api/content/posts/',
      },
    ],
  },
  discourse: {
    title: 'Discourse',
    signs: [
      { kind: 'header', name: 'x-discourse-route' },
      { kind: 'generator', name: 'Discourse ' },
    ],
    presets: [FEEDS, MEDIA],
    rules: [
      {
        why: 'Programs and the app use the API with a key. Discourse refuses a wrong key.',
        line: "{ name: discourse api, match: { any: [{ header: { api-key: '?*' } }, { header: { user-api-key: '?*' } }] }, challenge: never, rate_limit: { requests: 300, per: 1m, by: ip } }",
        example: '/posts.json',
      },
    ],
  },
  icecast: {
    title: 'Icecast',
    signs: [{ kind: 'header', name: 'server', has: 'Icecast' }],
    presets: [],
    rules: [
      {
        why: 'Players and radios play the streams, and programs ask what is played.',
        line: '{ name: icecast streams, match: { path: /**, method: GET, not: { path: [/, /status.xsl, /server_version.xsl, /admin/**] } }, challenge: never, rate_limit: { requests: 300, per: 1m, by: ip } }',
        example: '/live',
      },
    ],
  },
  radicale: {
    title: 'Radicale',
    signs: [{ kind: 'text', text: '<title>Radicale Web Interface</title>' }],
    presets: [{ preset: 'well-known', why: 'Calendars and address books look for their server.' }],
    rules: [
      {
        why: 'Apps synchronise calendars and contacts.',
        line: '{ name: radicale apps, match: { path: /**, not: { path: [/, /.web, /.web/**], method: [GET, HEAD] } }, challenge: never, rate_limit: { requests: 6000, per: 1m, by: ip } }',
        example: '/ada/calendar/',
      },
    ],
  },
} as const satisfies Readonly<Record<string, Application>>;
export type ApplicationName = keyof typeof APPLICATIONS;
