import { MCP } from '@guard/config/contract/limits';
import { expect, test } from 'vitest';
import { useSite } from '../../testing/docs-site.ts';

const { get } = useSite();

async function search(query: string) {
  const { status, text } = await get(`/search?q=${encodeURIComponent(query)}`);
  const [, list = ''] = /<ol class="hits">([\s\S]*)<\/ol>/.exec(text) ?? [];
  const resultPaths = [...list.matchAll(/<li><a href="([^"]+)">/g)].map(([, path]) => path);
  return { status, text, resultPaths };
}

test.each([
  ['rate limit', '/rules#rate-limits'],
  ['rate_limit_exceeded', '/block-reasons/rate_limit_exceeded'],
  ['trusted_proxies', '/guard-yaml#behind-a-proxy-or-load-balancer'],
  ['Example Bot', '/crawlers/example-bot'],
])('a search for "%s" works without scripts and finds %s', async (query, path) => {
  const { status, resultPaths } = await search(query);
  expect(status).toBe(200);
  expect(resultPaths).toContain(path);
});

test.each([
  ['whitelist', '/commands#guard-allow'],
  ['unblock someone', '/commands#guard-allow'],
  ['block an ip', '/rules-cookbook#block-an-address'],
  ['ban ip', '/rules-cookbook#block-an-address'],
  ['captcha', '/limits#challenge'],
  ['allowlist bot', '/rules#crawlers'],
])('"%s", which is in no page of the guide, finds %s by a synonym', async (query, path) => {
  expect((await search(query)).resultPaths.slice(0, 6)).toContain(path);
});

test.each([
  ['grafana', '/metrics#a-dashboard-for-grafana'],
  ['Example Bot', '/crawlers/example-bot'],
])(
  'the guide comes before crawler profiles, unless the query names the crawler: "%s"',
  async (query, path) => {
    expect((await search(query)).resultPaths[0]).toBe(path);
  },
);

test('a single letter of a query is not marked in the results', async () => {
  const { text } = await get('/search?q=why+am+i+limited');
  expect(text).toContain('<mark>');
  expect(text).not.toMatch(/<mark>.<\/mark>/);
});

test('a plus sign is a space, the field shows the query again, and the words of the query are marked in the results', async () => {
  const { text } = await get('/search?q=monitor+mode&x=1');
  expect(text).toContain('value="monitor mode"');
  expect(text).toMatch(/<mark>monitor<\/mark>/i);
});

test('contract 8: at most 20 sections are shown', async () => {
  const { resultPaths, text } = await search('the');
  expect(resultPaths).toHaveLength(20);
  expect(text).toContain('The first 20 results');
});

test('an empty result links to the list of all pages', async () => {
  const { status, resultPaths, text } = await search('xylophone');
  expect([status, resultPaths]).toEqual([200, []]);
  expect(text).toContain('Nothing was found');
});

test.each(['/search', '/search?', '/search?q=', '/search?q=+%20', '/search?p=x'])(
  'the URL %s has no query, so only the form is shown',
  async (path) => {
    const { status, text } = await get(path);
    expect(status).toBe(200);
    expect(text).toContain('name="q"');
    expect(text).not.toContain('class="hits"');
  },
);

test('a search has at most 200 characters', async () => {
  expect((await search('a'.repeat(200))).status).toBe(200);
  const long = await search('a'.repeat(201));
  expect(long.status).toBe(400);
  expect(long.text).toContain('at most 200 characters');
});

test.each([
  '"><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '\u0000%s${x}',
  '(((',
  '.* [',
])('%j appears as text, not as HTML', async (query) => {
  const { status, text } = await search(query);
  expect(status).toBe(200);
  expect(text).not.toMatch(/<script|<img src=x/);
});

test.each(['/search?q=%', '/search?q=%ff%fe', '/search?%', '/search?q=%00'])(
  'the request %s is answered, although no browser sends it',
  async (path) => {
    expect((await get(path)).status).toBe(200);
  },
);

const frozenSite = useSite({ clock: () => 0 });

test('above the budget of an address a search gets 429 with Retry-After, but pages frozen get 200', async () => {
  for (let sentCount = 0; sentCount < MCP.docsRequestsPerAddress.requests; sentCount += 1) {
    expect((await frozenSite.get('/search?q=xylophone')).status).toBe(200);
  }
  const refusedAnswer = await frozenSite.get('/search?q=xylophone');
  expect(refusedAnswer.status).toBe(429);
  expect(Number(refusedAnswer.headers['retry-after'])).toBeGreaterThan(0);
  expect((await frozenSite.get('/rules')).status).toBe(200);
  const missing = await frozenSite.get('/rate-limit');
  expect([missing.status, missing.text.includes('Perhaps')]).toEqual([404, false]);
});
