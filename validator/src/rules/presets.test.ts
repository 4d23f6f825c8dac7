import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { PRESETS } from '@guard/config/settings/sections/preset-names';
import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import {
  chromeHttps,
  googlebot,
  HOME_IP,
  safariIphone,
  visit,
} from '../../../test/kit/visitors/visitors.ts';
import {
  withAgent,
  requestTo,
  decisionOn,
  guardWithPresets,
  withAllPresets,
  type RequestChanges,
  withHeaders,
  STRICT,
  testPreset,
} from './testing/preset-tables.ts';

const catalogue = CrawlerCatalogue.load();

/** An address from the published ranges of this crawler. */
function addressOf(name: string): string {
  const crawler = catalogue.all().find((candidate) => candidate.name === name);
  const [entry = ''] = (crawler && catalogue.proofsOf(crawler).list?.entries) ?? [];
  expect(entry, name).not.toBe('');
  return entry.split('/', 1)[0]?.replace(/\.0$/, '.1') ?? '';
}

const refsOf = (path: string) => `${path}/info/refs?service=git-upload-pack`;
const packRequest = (service: string): RequestChanges => ({
  method: 'POST',
  ...withHeaders({
    'user-agent': 'git/2.39.5',
    'content-type': `application/x-git-${service}-request`,
  }),
});
const LFS_REQUEST: RequestChanges = {
  method: 'POST',
  ...withHeaders({ 'content-type': 'application/vnd.git-lfs+json' }),
};

testPreset(
  'well-known',
  'any program that sends an honest User-Agent to read the files that are made for programs',
  [
    ['/.well-known/acme-challenge/token', withAgent('Mozilla/5.0 (compatible; letsencrypt.org)')],
    ['/.well-known/security.txt', {}],
    ['/.well-known/carddav', { method: 'PROPFIND' }],
    ['/.well-known/matrix/server', { method: 'OPTIONS' }],
    ['/robots.txt', withAgent('Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)')],
    ['/favicon.ico', {}],
    ['/apple-touch-icon-120x120-precomposed.png', {}],
    ['/site.webmanifest', { headers: { ...safariIphone } }],
  ],
  [
    ['/.well-known/acme-challenge/token', { method: 'POST' }],
    ['/.well-known/', { method: 'PROPFIND' }],
    ['/.well-known/../admin', {}],
    ['/.well-known/..%2fadmin', {}],
    ['/.well-known/;/../admin', {}],
    ['/robots.txt/../admin', {}],
    ['/a/robots.txt', {}],
    ['/apple-touch-icon/x.png', { method: 'OPTIONS' }],
    ['/robots.txt', { headers: { ...googlebot } }],
    ['/robots.txt', withAgent('Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/147.0.0.0')],
  ],
);

testPreset(
  'feeds',
  'any program that sends an honest User-Agent to read a feed',
  [
    ['/feed', withAgent('FreshRSS/1.26.1 (Linux; https://freshrss.org)')],
    ['/blog/feed/', withAgent('Feedly/1.0 (+http://www.feedly.com/fetcher.html; 7 subscribers)')],
    ['/comments/feed/atom/', withAgent('NetNewsWire (RSS Reader; https://netnewswire.com/)')],
    ['/latest.rss', { headers: {} }],
    ['/ada/engine/releases.atom', withAgent('python-requests/2.32.3')],
    ['/index.xml', { method: 'HEAD' }],
    ['/feed.json?page=2', {}],
    // Paths of podcasts and feeds in WordPress, Pelican, Blogger and Movable Type.
    ['/feed/podcast/', withAgent('newsboat/2.21.0 (Linux x86_64)')],
    ['/feed/podcast/harbour', {}],
    ['/podcast.xml', {}],
    ['/feeds/all.atom.xml', {}],
    ['/feeds/ada.rss.xml', {}],
    ['/feeds/posts/default', {}],
    ['/blog/rss2.xml', {}],
    ['/team.ics', withAgent('Google-Calendar-Importer')],
    ['/feed.php?mode=list', withAgent('newsboat/2.21')],
    ['/caf%C3%A9/feed', {}],
    ['/on-cgi/feed', {}],
    ['/cgi-bindings/feed', {}],
  ],
  [
    ['/feed', { method: 'POST' }],
    ['/feed/../admin', {}],
    ['/admin;.rss', {}],
    ['/admin%3f.rss', {}],
    ['/admin%00.rss', {}],
    ['/admin?.rss', {}],
    ['/index.php/feed', {}],
    ['/wp-login.PHP/x/feed/', {}],
    ['/shop.aspx/1.rss', {}],
    ['/shop.cgi/feed', {}],
    ['/shop.FCGI/feed', {}],
    ['/shop.pl/feed/', {}],
    ['/shop.py/rss', {}],
    ['/shop.rb/1.atom', {}],
    ['/shop.shtml/feed', {}],
    ['/shop.cfc/feed', {}],
    ['/shop%2ecgi/feed', {}],
    ['/cgi-bin/shop/feed', {}],
    ['/CGI%2Dbin/shop/feed', {}],
    ['/ada/cgi-bin/shop/1.rss', {}],
    ['/feedback', {}],
    ['/sitemap.xml', {}],
    ['/feed', { headers: { ...googlebot } }],
  ],
);

testPreset(
  'git',
  'requests with the path, method and form of git, with any User-Agent',
  [
    [refsOf('/ada/engine.git'), withAgent('git/2.39.5')],
    ['/ada/engine.git/info/refs?service=git-receive-pack', withAgent('JGit/7.1.0')],
    [refsOf('/ada/engine'), withAgent('go-git/5.x')],
    ['/ada/engine.git/git-upload-pack', packRequest('upload-pack')],
    ['/ada/engine.git/git-receive-pack', packRequest('receive-pack')],
    ['/ada/engine.git/info/lfs/objects/batch', LFS_REQUEST],
    ['/ada/engine.git/info/lfs/locks/verify', LFS_REQUEST],
    ['/ada/engine.git/info/lfs/locks', withHeaders({ accept: 'application/vnd.git-lfs+json' })],
    [`/ada/engine.git/info/lfs/objects/${'a'.repeat(64)}`, withAgent('git-lfs/3.6.1')],
  ],
  [
    ['/', withAgent('git/2.39.5')],
    ['/?service=git-upload-pack', withAgent('git/2.39.5')],
    ['/ada/engine.git/info/refs', withAgent('git/2.39.5')],
    ['/ada/engine.git/info/refs?service=rm', withAgent('git/2.39.5')],
    ['/ada/engine.git/info/refs?service=git-upload-pack&service=x', withAgent('git/2.39.5')],
    [refsOf('/ada/engine.git'), { method: 'POST' }],
    [refsOf('/admin%3f'), withAgent('git/2.39.5')],
    [refsOf('/admin%00'), withAgent('git/2.39.5')],
    [refsOf('/shop.php'), withAgent('git/2.39.5')],
    [refsOf('/cgi-bin/shop'), withAgent('git/2.39.5')],
    ['/ada/engine.git/git-upload-pack', { method: 'POST', ...withAgent('git/2.39.5') }],
    ['/ada/engine.git/git-upload-pack', packRequest('receive-pack')],
    ['/ada/engine.git/git-upload-pack', { ...packRequest('upload-pack'), method: 'GET' }],
    ['/login', packRequest('upload-pack')],
    ['/ada/engine.git/info/lfs/objects/batch', { method: 'POST' }],
    [refsOf('/ada/engine.git'), { headers: { ...googlebot } }],
  ],
);

const STRIPE = 'Stripe/1.0 (+https://stripe.com/docs/webhooks)';

testPreset(
  'webhooks',
  'senders by their address, and any client on the configured paths',
  [
    ['/orders/paid', { method: 'POST', ...withAgent(STRIPE), ip: addressOf('Stripe') }],
    ['/hooks/github', { method: 'POST', ...withAgent('GitHub-Hookshot/044aadd') }],
    ['/hooks/own', { method: 'PUT' }],
    ['/api/stripe', { method: 'OPTIONS' }],
  ],
  [
    ['/orders/paid', { method: 'POST', ...withAgent(STRIPE) }],
    ['/hooks/stripe', { method: 'POST', ...withAgent(STRIPE) }],
    ['/orders/paid', { ...withAgent(STRIPE), ip: addressOf('Stripe') }],
    ['/orders/paid', { method: 'POST', ...withAgent('GitHub-Hookshot/044aadd') }],
    ['/hooks/github', { method: 'DELETE' }],
    ['/hooks/../admin', { method: 'POST' }],
    ['/hooks/..%2fadmin', { method: 'POST' }],
    ['/api/stripe/keys', { method: 'POST' }],
  ],
);

describe.each([
  [
    'monitors',
    'UptimeRobot',
    'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)',
  ],
  ['monitors', 'Pingdom', 'Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)'],
  ['monitors', 'Better Stack', 'Better Uptime Bot Mozilla/5.0'],
  ['link-previews', 'TelegramBot', 'TelegramBot (like TwitterBot)'],
  ['link-previews', 'facebookexternalhit', 'facebookexternalhit/1.1'],
])('preset:%s: %s', (preset, name, userAgent) => {
  const ip = addressOf(name);

  test('can read any page from an address of its operator', async () => {
    const rule = `preset:${preset}`;
    expect(await decisionOn(requestTo('/any/page', { ...withAgent(userAgent), ip }))).toEqual([
      'allow',
      rule,
    ]);
    const head: RequestChanges = { ...withAgent(userAgent), ip, method: 'HEAD' };
    expect(await decisionOn(requestTo('/', head))).toEqual(['allow', rule]);
  });

  test('cannot POST, and can read nothing from other addresses', async () => {
    const post: RequestChanges = { ...withAgent(userAgent), ip, method: 'POST' };
    expect((await decisionOn(requestTo('/login', post)))[0]).not.toBe('allow');
    expect(
      (await decisionOn(requestTo('/', { ...withAgent(userAgent), ip: HOME_IP })))[0],
    ).not.toBe('allow');
  });
});

describe('a preset lifts a challenge, but changes no rule of the settings', () => {
  const feed = requestTo('/feed');

  test('a block and an allow of the settings have priority over a preset', async () => {
    const rules = `
- { name: not from there, match: { ip: ${HOME_IP} }, verdict: block }
- { name: rest, match: {}, detect: true }`;
    const { ask, events } = validatorWith(rules, { organisation: withAllPresets });
    expect((await ask(feed)).decision).toBe('block');
    expect((await ask({ ...feed, ip: '198.51.100.9' })).decision).toBe('allow');
    expect(events.map(({ rule }) => rule)).toEqual(['not from there', 'preset:feeds']);
  });

  test('a rate limit of the settings counts requests of a preset', async () => {
    const rules = `
- { name: budget, match: { path: /feed }, rate_limit: { requests: 1, per: 1m } }
- { name: rest, match: {}, detect: true }`;
    const { ask } = validatorWith(rules, { organisation: withAllPresets });
    expect((await ask(feed)).decision).toBe('allow');
    expect(await ask(feed)).toMatchObject({ decision: 'block', rate_limited: true });
  });

  test('a preset lifts no challenge for the requests of another preset', async () => {
    const { ask } = validatorWith(STRICT, { organisation: { presets: ['git'] } });
    expect((await ask(feed)).decision).toBe('redirect');
    expect((await ask(requestTo('/robots.txt'))).decision).toBe('redirect');
    expect((await ask(requestTo(refsOf('/a.git')))).decision).toBe('allow');
  });

  test('presets change nothing for the browser of a person', async () => {
    expect(await decisionOn(visit({ headers: { ...chromeHttps } }))).toEqual([
      'redirect',
      'everybody',
    ]);
  });

  test('an explanation lists presets as built in, after the rules of the settings', async () => {
    const explained = await guardWithPresets.validator.explain('acme', {
      body: JSON.stringify(feed),
      site: '',
    });
    if (explained.kind === 'error') throw new Error(explained.message);
    expect(explained.explanation.rules.map(({ name, built_in }) => [name, built_in])).toEqual([
      ['everybody', false],
      ...PRESETS.map((preset) => [`preset:${preset}`, true]),
      ['crawler allowlist', true],
    ]);
    const { decides } =
      explained.explanation.rules.find(({ name }) => name === 'preset:feeds') ?? {};
    expect(decides).toEqual(['verdict', 'rate_limit']);
  });
});
