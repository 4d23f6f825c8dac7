import { ONE_PLAYS_ALL } from '../kit/product/policies.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Action } from '@guard/config/contract/event';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { testFolder } from '../kit/test-folder.ts';
import { validatorWith } from '../kit/product/validator.ts';
import { verifiedSession } from '../kit/visitors/verified-session.ts';
import { chromeHttps, curl, googlebot, GOOGLEBOT_IP, visit } from '../kit/visitors/visitors.ts';

/**
 * These tests check that each recipe of the rules cookbook has the effect that the page describes. They use the real
 * validator and the visits of the text.
 */

const page = readFileSync(join(import.meta.dirname, '../../docs/guide/rules-cookbook.md'), 'utf8');
const LIST = join(testFolder(), 'banned.txt');
writeFileSync(LIST, '203.0.113.7 # of a scraper\n');

const recipes = new Map(
  [...page.matchAll(/^## (.+)$[\s\S]*?^```yaml\n([\s\S]+?)^```$/gm)].map(
    ([, heading = '', yaml = '']) => [heading, yaml.replace('lists/banned.txt', LIST)],
  ),
);

const OFFICE = '203.0.113.9';
const PARTNER = '198.51.100.4';
const TOR = '185.220.101.1';
/** An address of DigitalOcean, AS14061. */
const RENTED_ADDRESS = '104.131.0.1';
/** An address from which Stripe sends webhooks. */
const STRIPE_IP = '54.187.174.169';
/** An address in a range that OpenAI publishes for GPTBot. */
const GPTBOT_IP = '20.171.206.5';
/** An address in a range that OpenAI publishes for ChatGPT-User. */
const ASSISTANT_IP = '4.151.71.180';

const asHeadless = {
  headers: { ...visit().headers, 'user-agent': 'Mozilla/5.0 HeadlessChrome/147.0.0.0' },
};
const asGptBot = { headers: { ...curl, 'user-agent': 'Mozilla/5.0 (compatible; GPTBot/1.2)' } };
const asAssistant = {
  headers: { ...curl, 'user-agent': 'Mozilla/5.0 (compatible; ChatGPT-User/1.0)' },
};

/** The request of `fetch`, without the header fields of a navigation. */
function asScript(method: string): Partial<ValidateRequest> {
  const navigation = new Set(['upgrade-insecure-requests', 'sec-fetch-user']);
  const headers = {
    ...Object.fromEntries(Object.entries(chromeHttps).filter(([name]) => !navigation.has(name))),
    accept: '*/*',
    origin: 'https://shop.example',
    'sec-fetch-site': 'same-origin',
    'sec-fetch-mode': 'cors',
    'sec-fetch-dest': 'empty',
  };
  return { method, headers };
}

/** One visit for a recipe, and the expected action on its last request. */
interface Claim {
  readonly path?: string;
  readonly host?: string;
  readonly from?: Partial<ValidateRequest>;
  /** The number of equal requests before the last one. 0 when absent. */
  readonly after?: number;
  readonly action: Action;
  readonly status?: number;
}

const asCurl = { headers: curl };
const asStripe = {
  headers: { ...curl, 'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)' },
};
const asPayPal = {
  headers: { ...curl, 'user-agent': 'PayPal IPN ( https://www.paypal.com/ipn )' },
};
const post = { method: 'POST' };

const claims: Readonly<Record<string, readonly Claim[]>> = {
  'Stop AI scrapers, keep search, feeds and payments': [
    { from: { ...asGptBot, ip: GPTBOT_IP }, action: 'block' },
    { from: asGptBot, action: 'block' },
    { from: asAssistant, action: 'block' },
    { from: asCurl, action: 'challenge' },
    { action: 'allow' },
    { from: { headers: googlebot, ip: GOOGLEBOT_IP }, action: 'allow' },
    { from: { headers: googlebot }, action: 'block' },
    { path: '/blog/feed/', from: asCurl, action: 'allow' },
    { path: '/hooks/paid', from: { ...asPayPal, ...post }, action: 'allow' },
    { path: '/order', from: { ...asPayPal, ...post }, action: 'block' },
    { path: '/order', from: { ...asStripe, ...post, ip: STRIPE_IP }, action: 'allow' },
  ],
  'Begin by watching': [{ from: asHeadless, action: 'allow' }, { action: 'allow' }],
  'Block only what is certain': [
    { from: asHeadless, action: 'block' },
    { from: asCurl, action: 'allow' },
  ],
  'Let your office and your monitor in': [
    { from: { ...asCurl, ip: OFFICE }, action: 'allow' },
    { from: { ...asCurl, ip: '2001:db8:20::1' }, action: 'allow' },
    { from: asCurl, action: 'challenge' },
  ],
  'Let a health check through': [
    { path: '/healthz', from: { ...asCurl, ip: '10.1.2.3' }, action: 'allow' },
    { path: '/healthz', from: asCurl, action: 'challenge' },
    { path: '/', from: { ...asCurl, ip: '10.1.2.3' }, action: 'challenge' },
  ],
  'A budget for the login': [
    { path: '/login', from: post, after: 9, action: 'allow' },
    { path: '/login', from: post, after: 10, action: 'limited', status: 429 },
    { path: '/login', after: 20, action: 'allow' },
  ],
  'A slow budget for mails': [
    { path: '/signup', from: post, after: 4, action: 'allow' },
    { path: '/signup', from: post, after: 5, action: 'limited', status: 429 },
  ],
  'Checkout only for checked browsers': [
    { path: '/checkout/pay', action: 'challenge' },
    { path: '/', action: 'allow' },
  ],
  'Decide about one finding yourself': [
    { path: '/catalogue/shoes/7', from: asCurl, action: 'allow' },
    { path: '/orders', from: asCurl, action: 'block' },
    { path: '/orders', action: 'allow' },
  ],
  'An API that programs call': [
    { path: '/api/items', from: asCurl, action: 'allow' },
    { path: '/api/items', from: asHeadless, action: 'block' },
    { path: '/api/items', from: asCurl, after: 300, action: 'limited' },
    { path: '/items', from: asCurl, action: 'challenge' },
  ],
  'JSON that your pages load': [
    { path: '/wp-json/wp/v2/posts', action: 'allow' },
    { path: '/wp-json/wp/v2/posts', after: 120, action: 'limited' },
    { path: '/', action: 'allow' },
  ],
  'An API for known partners only': [
    { path: '/partner/orders', from: { ...asCurl, ip: PARTNER }, action: 'allow' },
    { path: '/partner/orders', action: 'block', status: 404 },
    { path: '/', from: asCurl, action: 'allow' },
  ],
  Webhooks: [
    { path: '/hooks/paid', from: { ...asCurl, ...post }, action: 'allow' },
    { path: '/order', from: { ...asCurl, ...post }, action: 'challenge' },
  ],
  'No crawlers that train models': [
    { from: { ...asGptBot, ip: GPTBOT_IP }, action: 'block', status: 451 },
    { from: asGptBot, action: 'block', status: 451 },
    { action: 'allow' },
  ],
  'Assistants yes, training no': [
    { from: { ...asAssistant, ip: ASSISTANT_IP }, action: 'allow' },
    { from: asAssistant, action: 'block' },
    { from: { ...asGptBot, ip: GPTBOT_IP }, action: 'block', status: 451 },
  ],
  'Search engines out of one folder': [
    { path: '/members/1', from: { headers: googlebot, ip: GOOGLEBOT_IP }, action: 'block' },
    { path: '/', from: { headers: googlebot, ip: GOOGLEBOT_IP }, action: 'allow' },
  ],
  'Search is expensive': [
    { path: '/search?q=tea', after: 19, action: 'allow' },
    { path: '/search?q=tea', after: 20, action: 'limited' },
    { path: '/search', after: 40, action: 'allow' },
  ],
  'Slow down who copies the catalogue': [
    { path: '/products/1', after: 119, action: 'allow' },
    { path: '/products/1', after: 120, action: 'limited' },
  ],
  'Probes for what you do not run': [
    { path: '/.env', action: 'block', status: 404 },
    { path: '/.git/config', action: 'block', status: 404 },
    { path: '/a/b/shell.php', action: 'block', status: 404 },
    { path: '/products/1', action: 'allow' },
  ],
  'Methods you do not serve': [
    { path: '/items/1', from: { method: 'DELETE' }, action: 'block' },
    { path: '/api/items/1', from: asScript('DELETE'), action: 'allow' },
    { path: '/items/1', action: 'allow' },
  ],
  'Ship to some countries only': [
    { path: '/checkout/pay', action: 'allow' },
    { path: '/checkout/pay', from: { ip: GOOGLEBOT_IP }, action: 'block', status: 451 },
    { path: '/', from: { ip: OFFICE }, action: 'allow' },
    { path: '/checkout/pay', from: { ip: OFFICE }, action: 'block', status: 451 },
  ],
  'Visitors from machines pass once': [
    { from: { ip: TOR }, action: 'challenge' },
    { action: 'allow' },
  ],
  'One network that misbehaves': [
    { from: { ip: RENTED_ADDRESS }, action: 'challenge' },
    { action: 'allow' },
  ],
  'Block an address': [
    { from: { ip: '203.0.113.7' }, action: 'block' },
    { from: { ip: '2001:db8:bad::1' }, action: 'block' },
    { action: 'allow' },
  ],
  'Block a list of addresses': [
    { from: { ip: '203.0.113.7' }, action: 'block' },
    { from: { ip: '203.0.113.8' }, action: 'allow' },
  ],
  'Staging is not for everybody': [
    { host: 'staging.shop.example', action: 'block', status: 404 },
    { host: 'staging.shop.example', from: { ip: OFFICE }, action: 'allow' },
    { action: 'allow' },
  ],
  'A tool that announces itself': [
    {
      from: { headers: { ...curl, 'user-agent': 'python-requests/2.32.5' } },
      action: 'block',
    },
    {
      from: { headers: { ...curl, 'user-agent': 'Scrapy/2.13 (+https://scrapy.org)' } },
      action: 'block',
    },
    { action: 'allow' },
  ],
  'A preview that only the office sees': [
    { path: '/article?preview=true', action: 'block', status: 404 },
    { path: '/article?preview=true', from: { ip: OFFICE }, action: 'allow' },
    { path: '/article', action: 'allow' },
  ],
};

test('the cookbook has at least 15 recipes, and each has a test', () => {
  expect(recipes.size).toBeGreaterThanOrEqual(15);
  expect(Object.keys(claims)).toEqual([...recipes.keys()]);
  expect([...page.matchAll(/^## /gm)]).toHaveLength(recipes.size);
});

describe.each(Object.entries(claims))('%s', (heading, visits) => {
  const titledVisits = visits.map((claim) => [titleOf(claim), claim] as const);

  test.each(titledVisits)('%s', async (_title, claim) => {
    const { rules, ...organisation } = parse(recipes.get(heading) ?? '') as {
      rules: unknown;
    };
    const { ask, events } = validatorWith(stringify(rules), {
      organisation: { ...ONE_PLAYS_ALL, ...organisation },
    });
    const url = `https://${claim.host ?? 'shop.example'}${claim.path ?? '/'}`;
    for (let count = 0; count < (claim.after ?? 0); count += 1) {
      await ask(visit({ ...claim.from, url }));
    }
    const answer = await ask(visit({ ...claim.from, url }));
    expect(events.at(-1)?.action).toBe(claim.action);
    if (claim.status !== undefined) expect(answer.status_code).toBe(claim.status);
  });
});

describe('a budget of the cookbook limits passes that are shared, and clients with several passes', () => {
  /**
   * How many of 1,500 requests are allowed for one pass at four addresses, for four passes at one address, and for four
   * passes at four addresses.
   */
  const budgets = [
    ['A budget for the login', 'POST', '/login', [40, 10, 40]],
    ['A slow budget for mails', 'POST', '/signup', [20, 5, 20]],
    ['An API that programs call', 'GET', '/api/items', [1_200, 300, 1_200]],
    // As the page says, visitors with a pass have only the limits of a session.
    ['Search is expensive', 'GET', '/search?q=tea', [600, 1_500, 1_500]],
    ['Slow down who copies the catalogue', 'GET', '/products/1', [120, 120, 480]],
  ] as const;

  test.each(budgets)('%s', async (heading, method, path, passing) => {
    const { rules } = parse(recipes.get(heading) ?? '') as { rules: unknown };
    const url = `https://shop.example${path}`;
    const passedCounts: number[] = [];
    for (const [sessions, addresses] of [
      [1, 4],
      [4, 1],
      [4, 4],
    ] as const) {
      const { ask, store, time } = validatorWith(stringify(rules));
      const cookies = Array.from(
        { length: sessions },
        (_, i) => `0000000${i}-d9cb-869f-8165-70867728950e`,
      );
      for (const cookie of cookies)
        store.keepSession(cookie, verifiedSession({ judgedAt: time.now }), 3_600_000);
      let count = 0;
      for (let i = 0; i < 1_500; i++) {
        const ip = `84.115.20.${Math.floor(i / sessions) % addresses}`;
        const cookie = cookies[i % sessions] ?? '';
        const { decision } = await ask(visit({ url, ip, cookie, method }));
        if (decision === 'allow') count += 1;
      }
      passedCounts.push(count);
    }
    expect(passedCounts).toEqual(passing);
  });
});

function titleOf({
  host = 'shop.example',
  path = '/',
  from,
  after,
  action,
  status,
}: Claim): string {
  const agent =
    from?.headers?.['user-agent']?.replace(/^Mozilla.*?(\w+)\/.*$/, '$1') ?? 'a browser';
  const visitor = `${agent} from ${from?.ip ?? 'home'}`;
  const times = after === undefined ? '' : `, after ${after} times`;
  return `${from?.method ?? 'GET'} ${host}${path} by ${visitor}${times}: ${action} ${status ?? ''}`.trim();
}
