import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { organisationWith } from '../../../test/kit/product/policies.ts';
import { countAllowed, decisions, newSession } from '../../../test/kit/product/decisions.ts';
import { verifiedSession } from '../../../test/kit/visitors/verified-session.ts';
import {
  curl,
  googlebot,
  GOOGLEBOT_IP,
  scriptFetch,
  visit,
} from '../../../test/kit/visitors/visitors.ts';

const RULES = '[{ name: everybody, match: {}, detect: true }]';
/** The presets that look only at the path. */
const presets = ['well-known', 'feeds', 'git', 'wp-cron', 'media', 'webhooks'];
const createGuard = () =>
  validatorWith(RULES, { organisation: { presets, webhook_paths: ['/hooks/**'] } });
const at = (path: string, ip = '203.0.113.9') =>
  visit({ headers: { ...curl }, ip, url: `https://shop.example${path}` });

describe('no preset allows a parameter that makes WordPress or a wiki answer with a page at any path', () => {
  test.each([
    '/favicon.ico?rest_route=/wp/v2/posts',
    '/robots.txt?rest_route=/wp/v2/posts',
    '/feed/?rest_route=/wp/v2/posts',
    '/feed/?rest%5Froute=%2Fwp/v2/posts',
    '/feed/?rest.route=/wp/v2/posts',
    '/feed/?rest_route[]=/wp/v2/posts',
    '/a/info/refs?service=git-upload-pack&rest_route=/wp/v2/posts',
    '/a/wp-cron.php?rest_route=/wp/v2/posts',
    '/a.png?rest_route=/wp/v2/posts',
    '/a.png?pagename=&feed=rss2&paged=7',
    '/hooks/x?rest_route=/wp/v2/posts&_method=GET',
    '/hooks/x?feed=rss2&paged=7',
    '/hooks/x?curid=7&action=raw',
    '/wiki/feed?curid=7&Action=Raw&ctype=text/css',
    '/robots.txt?id=start&do[Export-_raw]=',
  ])('%s', async (path) => {
    expect((await createGuard().ask(at(path))).decision).not.toBe('allow');
  });
});

describe('when the path of a preset gets a page as its answer, the page is counted as a page', () => {
  test.each([
    ['well-known', (index: number) => `/robots.txt?curid=${index}`],
    ['git', (index: number) => `/wiki/a/info/refs?service=git-upload-pack&curid=${index}`],
    ['wp-cron', (index: number) => `/wiki/wp-cron.php?curid=${index}`],
    ['media', (index: number) => `/wiki/File:${index}.png`],
  ])('%s', async (preset, path) => {
    const guard = createGuard();
    guard.origin.answers = 'document';
    const decided = await decisions(guard, 60, (index) => at(path(index)));
    const allowedCount = decided.filter((decision) => decision === 'allow').length;
    expect([50, 51]).toContain(allowedCount);
    // Another address has its own budget, and after ten minutes this address has a new budget.
    expect((await guard.ask(at(path(1), '203.0.113.10'))).decision).toBe('allow');
    guard.time.now += 600_001;
    await guard.ask(at(path(1)));
    expect(guard.events.at(-1)?.rule).toBe(`preset:${preset}`);
  });

  test('pictures and stored files are not counted, and data is counted only at the path of a picture', async () => {
    const guard = createGuard();
    expect(await countAllowed(guard, 100, () => at('/a.png'))).toBe(100);
    guard.origin.answers = 'file';
    expect(await countAllowed(guard, 100, () => at('/a.png'))).toBe(100);
    // An authority asks for one file for each name of a certificate. The path of the file has no extension.
    const challengeFile = (index: number) => at(`/.well-known/acme-challenge/${index}`);
    expect(await countAllowed(guard, 100, challengeFile)).toBe(100);
    guard.origin.answers = 'data';
    const webfinger = () => at('/.well-known/webfinger');
    expect(await countAllowed(guard, 100, webfinger)).toBe(100);
    expect((await decisions(guard, 60, () => at('/a.png?id=1'))).at(-1)).not.toBe('allow');
  });
});

test.each([
  ['/robots.txt?format=json', 'counted'],
  ['/a/wp-cron.php?format=json', 'counted'],
  ['/a.ts?format=json', 'counted'],
  ['/.well-known/webfinger', 'free'],
  ['/manifest.json', 'free'],
  ['/a/feed.json', 'free'],
  ['/a/info/refs?service=git-upload-pack&format=json', 'counted'],
  ['/a/info/lfs/objects/1', 'free'],
])('JSON in answer to %s is %s', async (path, expected) => {
  const guard = createGuard();
  guard.origin.answers = 'data';
  const decided = await decisions(guard, 60, () => at(path));
  expect(decided.at(-1) === 'allow' ? 'free' : 'counted').toBe(expected);
});

test('without a preset, a stored file without a content type is counted only when its path is not that of a file', async () => {
  const guard = validatorWith(RULES);
  guard.origin.answers = 'file';
  await guard.ask(visit());
  const requestTo = (path: string) => () =>
    visit({ url: `https://shop.example${path}`, headers: scriptFetch });
  expect(await countAllowed(guard, 60, requestTo('/a.woff2'))).toBe(60);
  expect((await decisions(guard, 60, requestTo('/list'))).at(-1)).toBe('redirect');
});

test('an address can read 300 feeds of each organisation in ten minutes', async () => {
  const neighbour = organisationWith(RULES, { id: 'neighbour', presets });
  const guard = validatorWith(RULES, { organisation: { presets }, neighbour });
  const feedRequest = (index: number) => at(`/t/${index}.rss`);
  expect(await countAllowed(guard, 300, feedRequest)).toBe(300);
  expect(await guard.ask(feedRequest(300))).toMatchObject({
    decision: 'block',
    rate_limited: true,
  });
  const answerOfNeighbour = await guard.validator.forOrganisation('neighbour')(feedRequest(1), {});
  expect(answerOfNeighbour).toMatchObject({ response: { decision: 'allow' } });
});

test('monitor mode lifts the limit of feeds, but not the limit of pages', async () => {
  const rules = '[{ name: everybody, match: {}, detect: true, monitor: true }]';
  const guard = validatorWith(rules, { organisation: { presets } });
  expect(await countAllowed(guard, 400, (index) => at(`/t/${index}.rss`))).toBe(400);
  guard.origin.answers = 'document';
  const pages = await decisions(guard, 60, (index) => at(`/a/feed/?curid=${index}`));
  // The limit of pages allows 50. One is held back, and then these requests take the five free pages.
  expect(pages.filter((decision) => decision === 'allow')).toHaveLength(55);
});

test('the budgets of presets do not limit an allowlisted crawler, because it needs no preset', async () => {
  const guard = createGuard();
  const crawlerRequestTo = (path: string) => () =>
    visit({ headers: { ...googlebot }, ip: GOOGLEBOT_IP, url: `https://shop.example${path}` });
  expect(await countAllowed(guard, 310, crawlerRequestTo('/t/1.rss'))).toBe(310);
  guard.origin.answers = 'document';
  expect(await countAllowed(guard, 60, crawlerRequestTo('/robots.txt'))).toBe(60);
  expect(guard.events.at(-1)?.rule).toBe('crawler allowlist');
  // The name of a crawler without its address is no proof.
  const impostor = await guard.ask(
    visit({ headers: { ...googlebot }, url: 'https://shop.example/a' }),
  );
  expect(impostor.decision).toBe('block');
});

test('a visitor who passed has the limits of the pass, and no limit of feeds', async () => {
  const guard = createGuard();
  const cookie = await newSession(guard);
  guard.store.keepSession(cookie, verifiedSession({ judgedAt: guard.time.now }), 600_000);
  const feedRequest = (index: number) =>
    visit({ cookie, url: `https://shop.example/t/${index}.rss`, headers: scriptFetch });
  expect(await countAllowed(guard, 310, feedRequest)).toBe(310);
  expect(guard.events.at(-1)?.rule).not.toBe('preset:feeds');
});

test('a rate limit of the settings replaces the limit of feeds', async () => {
  const rules =
    '[{ name: own, match: { path: /**/*.rss }, rate_limit: { requests: 400, per: 1m, by: ip } }]';
  const guard = validatorWith(rules, { organisation: { presets } });
  expect(await countAllowed(guard, 400, (index) => at(`/t/${index}.rss`))).toBe(400);
});

test('by a preset too, an address gets 8 pages that no page can use', async () => {
  const guard = createGuard();
  guard.origin.answers = 'document';
  const headers = { ...curl, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
  const robots = (index: number) => ({ ...at(`/robots.txt?curid=${index}`), headers });
  const decided = await decisions(guard, 20, robots);
  expect(decided.filter((decision) => decision === 'allow')).toHaveLength(8);
});
