import { Match } from '@guard/config/settings/sections/rule';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import {
  chromeHttps,
  curl,
  googlebot,
  GOOGLEBOT_IP,
  HOME_IP,
  visit,
} from '../../../test/kit/visitors/visitors.ts';
import { compileMatch } from './compile-match.ts';
import { at, matches } from '../../../test/kit/product/rule-matches.ts';

/** For each condition of a match, a value that an ordinary visit does not have. */
const FOREIGN_VALUES: Readonly<Record<keyof Match, unknown>> = {
  host: 'other.example',
  path: '/elsewhere',
  method: 'DELETE',
  ip: '192.0.2.1',
  country: 'NO',
  asn: 64_496,
  header: { 'x-never-sent': '*' },
  query: { 'never-sent': '*' },
  user_agent: 'nobody*',
  ja4: 't13d1516h2_8daaf6152771_d8a2da3f94cd',
  crawler: { identified: true },
  agent: '*',
  category: 'crawler_impersonator',
  reason: 'crawler_impersonator',
  session: 'verified',
  any: [{ path: '/elsewhere' }],
  all: [{ path: '/elsewhere' }],
  not: {},
};

describe('every condition has an effect', () => {
  test('the empty match holds for every visitor', async () => {
    expect(await matches({})).toBe(true);
  });

  test.each(Object.entries(FOREIGN_VALUES))(
    'a match with only %s does not hold for another visitor',
    async (name, wanted) => {
      expect(await matches({ [name]: wanted })).toBe(false);
    },
  );

  test('a match with several conditions holds only when all of them hold', async () => {
    const wanted = { method: 'GET', path: '/', host: 'shop.example', ip: HOME_IP };
    expect(await matches(wanted)).toBe(true);
    for (const name of Object.keys(wanted)) {
      const broken = { ...wanted, [name]: FOREIGN_VALUES[name as keyof Match] };
      expect(await matches(broken), name).toBe(false);
    }
  });
});

describe('host', () => {
  test.each([
    ['shop.example', 'shop.example', true],
    ['SHOP.example', 'shop.EXAMPLE:8443', true],
    ['shop.example', 'shop.example.', true],
    ['shop.example', 'evil-shop.example', false],
    ['*.shop.example', 'a.b.shop.example', true],
    ['*.shop.example', 'shop.example', false],
    ['*', 'anything.example', true],
    ['[2001:db8::1]', '[2001:DB8:0::1]:443', true],
  ])('%s and a request to %s: %s', async (host, requestValue, expected) => {
    expect(await matches({ host }, at('/', requestValue))).toBe(expected);
  });
});

describe('method', () => {
  test.each([
    ['POST', 'POST', true],
    ['post', 'POST', true],
    ['POST', 'post', true],
    [['PUT', 'PATCH'], 'PATCH', true],
    ['POST', 'GET', false],
  ])('%j and a %s request: %s', async (method, requestValue, expected) => {
    expect(await matches({ method }, { method: requestValue })).toBe(expected);
  });

  test('a request without a method is treated as GET', async () => {
    const { method, ...requestWithoutMethod } = visit();
    expect(method).toBe('GET');
    const { ask } = validatorWith('[{ name: r, match: { method: GET }, verdict: block }]');
    expect((await ask(requestWithoutMethod)).decision).toBe('block');
  });
});

describe('ip', () => {
  test.each([
    ['203.0.113.0/24', '203.0.113.9', true],
    ['203.0.113.0/24', '203.0.114.9', false],
    ['203.0.113.9', '::ffff:203.0.113.9', true],
    ['2001:db8::/32', '2001:0DB8:1::1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    [['192.0.2.1', '2001:db8::/64'], '2001:db8::9', true],
  ])('%j and %s: %s', async (ip, requestValue, expected) => {
    expect(await matches({ ip }, { ip: requestValue })).toBe(expected);
  });
});

describe('ja4', () => {
  const JA4 = 't13d1516h2_8daaf6152771_d8a2da3f94cd';
  const OTHER = 't13d1517h2_8daaf6152771_b0da82dd1658';
  const factsWith = (ja4: string) => ({
    transport: { hello: { ja4, greased: true, ciphers: [], extensions: [] }, http2: undefined },
  });
  // The facts have only the part that the condition reads.
  const holds = (match: unknown, facts: object) =>
    compileMatch(Match.parse(match), 'some')(facts as never, { all: () => [] });

  test.each([
    [{ ja4: JA4 }, true, false],
    [{ ja4: ['t12i190800_d83cc789557e_7af1ed941c26', JA4] }, true, false],
    [{ not: { ja4: JA4 } }, false, true],
    [{ not: { not: { ja4: JA4 } } }, true, false],
    [{ not: { any: [{ ja4: JA4 }] } }, false, true],
  ])(
    '%j: %s for this handshake, %s for another handshake, and false when Guard saw no handshake',
    (match, expected, expectedOfOther) => {
      expect(holds(match, factsWith(JA4))).toBe(expected);
      expect(holds(match, factsWith(OTHER))).toBe(expectedOfOther);
      expect(holds(match, {})).toBe(false);
      expect(holds(match, { transport: { hello: undefined } })).toBe(false);
    },
  );
});

describe('country and asn', () => {
  test.each([
    [{ country: 'US' }, '8.8.8.8', true],
    [{ country: ['de', 'us'] }, '8.8.8.8', true],
    [{ country: 'RU' }, '2a02:6b8::1', true],
    [{ country: 'US' }, '203.0.113.9', false],
    [{ not: { country: 'US' } }, '203.0.113.9', true],
    [{ asn: 15_169 }, '8.8.8.8', true],
    [{ asn: [13_335, 15_169] }, '2606:4700:4700::1111', true],
    [{ asn: 15_169 }, '1.1.1.1', false],
    [{ asn: 15_169 }, '203.0.113.9', false],
    [{ not: { asn: 15_169 } }, '8.8.8.8', false],
    [{ any: [{ asn: 64_496 }, { all: [{ asn: 15_169 }] }] }, '8.8.8.8', true],
  ])('%j and %s: %s', async (match, ip, expected) => {
    expect(await matches(match, { ip })).toBe(expected);
  });

  test('come from the databases of the settings', async () => {
    const folder = join(import.meta.dirname, '../../../config/fixtures/databases');
    const databases = { country: join(folder, 'country.mmdb'), asn: join(folder, 'asn.mmdb') };
    const rules = '[{ name: r, match: { country: NO, asn: 64496 }, verdict: block }]';
    const guard = validatorWith(rules, { databases });
    expect((await guard.ask(visit({ ip: '203.0.113.9' }))).decision).toBe('block');
    expect((await guard.ask(visit({ ip: '8.8.8.8' }))).decision).toBe('allow');
  });

  test('the start fails when a database cannot be opened, and the message names its file', () => {
    const databases = { asn: '/nonexistent/asn.mmdb' };
    expect(() => validatorWith('[]', { databases })).toThrow('/nonexistent/asn.mmdb');
  });
});

describe('header and user_agent', () => {
  const withHeaders = (headers: Readonly<Record<string, string>>) => ({
    headers: { ...chromeHttps, ...headers },
  });

  test.each([
    [{ 'X-Tool': '*bot*' }, { 'x-tool': 'my bot 1' }, true],
    [{ 'X-TOOL': 'exactly' }, { 'x-tool': 'exactly' }, true],
    [{ 'x-tool': 'exactly' }, { 'x-tool': 'Exactly' }, false],
    [{ 'x-tool': { regex: '(?i)^exactly$' } }, { 'x-tool': 'Exactly' }, true],
    [{ 'x-tool': '*' }, {}, false],
    [{ 'x-tool': '*' }, { 'x-tool': '' }, true],
    [{ 'x-a': '1', 'x-b': '2' }, { 'x-a': '1', 'x-b': '2' }, true],
    [{ 'x-a': '1', 'x-b': '2' }, { 'x-a': '1' }, false],
    [{ constructor: '*' }, {}, false],
  ])('header %j and %j: %s', async (header, headers, expected) => {
    expect(await matches({ header }, withHeaders(headers))).toBe(expected);
  });

  test.each([
    ['curl/*', true],
    ['*curl/8.1*', true],
    [['wget*', 'curl*'], true],
    [{ regex: '^curl/[78]' }, true],
    ['CURL/*', false],
    ['*chrome*', false],
  ])('user_agent %j and curl: %s', async (wanted, expected) => {
    expect(await matches({ user_agent: wanted }, { headers: { ...curl } })).toBe(expected);
  });

  test('a missing User-Agent is treated as empty', async () => {
    expect(await matches({ user_agent: { regex: '^$' } }, { headers: {} })).toBe(true);
  });
});

describe('crawler', () => {
  const real = { headers: { ...googlebot }, ip: GOOGLEBOT_IP };
  const impostor = { headers: { ...googlebot } };

  test.each([
    [{ identified: true }, real, true],
    [{ identified: true }, {}, false],
    [{ identified: false }, {}, true],
    [{ identified: false }, real, false],
    [{ verified: true }, real, true],
    [{ verified: true }, impostor, false],
    [{ verified: false }, impostor, true],
    [{ verified: false }, {}, false],
    [{ name: 'googleBOT' }, real, true],
    [{ name: ['Bingbot', 'GPTBot'] }, real, false],
    [{ category: 'Search Engine' }, real, true],
    [{ category: 'AI Training' }, real, false],
    [{ rsl_category: 'search' }, real, true],
    [{ rsl_category: ['ai-train'] }, real, false],
    [{ name: 'Googlebot', verified: true, rsl_category: 'search' }, real, true],
    [{}, real, true],
    [{}, {}, false],
  ])('%j: case %#', async (crawler, visitor, expected) => {
    expect(await matches({ crawler }, visitor)).toBe(expected);
  });

  test('allowlisted depends only on the list of the organisation, not on a proof', async () => {
    const withGooglebot = { crawler_allowlist: ['Googlebot'] };
    const withBingbot = { crawler_allowlist: ['Bingbot'] };
    expect(await matches({ crawler: { allowlisted: true } }, real, withGooglebot)).toBe(true);
    expect(await matches({ crawler: { allowlisted: true } }, real, withBingbot)).toBe(false);
    expect(await matches({ crawler: { allowlisted: false } }, real, withBingbot)).toBe(true);
    expect(await matches({ crawler: { allowlisted: true } }, impostor, withGooglebot)).toBe(true);
  });
});

describe('category: a match reads findings even when no rule sets detect', () => {
  test.each([
    ['suspicious_network', { ip: '3.5.140.2' }, true],
    ['suspicious_network', {}, false],
    ['bot_identity', { headers: { ...curl } }, true],
    [['crawler_impersonator', 'automated_browser'], { headers: { ...googlebot } }, true],
  ])('%j: case %#', async (category, visitor, expected) => {
    expect(await matches({ category }, visitor)).toBe(expected);
  });
});

describe('any, all and not', () => {
  test.each([
    [{ any: [{ path: '/a' }, { method: 'GET' }] }, true],
    [{ any: [{ path: '/a' }, { path: '/b' }] }, false],
    [{ all: [{ path: '/' }, { method: 'GET' }] }, true],
    [{ all: [{ path: '/' }, { method: 'POST' }] }, false],
    [{ not: { path: '/a' } }, true],
    [{ not: { not: { path: '/a' } } }, false],
    [{ not: { all: [{ path: '/' }, { any: [{ method: 'POST' }, { ip: HOME_IP }] }] } }, false],
    [{ path: '/', any: [{ method: 'POST' }] }, false],
    [{ any: [{ all: [{ not: { any: [{ path: '/a' }] } }] }] }, true],
  ])('%j: %s', async (match, expected) => {
    expect(await matches(match)).toBe(expected);
  });
});

test('findings are computed only when a condition needs them', () => {
  const requestValue = { findings: 0 };
  const findings = {
    all() {
      requestValue.findings += 1;
      return [];
    },
  };
  const holds = compileMatch(Match.parse({ method: 'POST', category: 'bot_identity' }), 'some');
  // The method alone decides here, so no findings are computed. They would need facts that are missing.
  const facts = { method: 'GET' } as Parameters<typeof holds>[0];
  expect(holds(facts, findings)).toBe(false);
  expect(requestValue.findings).toBe(0);
  expect(holds({ ...facts, method: 'POST' }, findings)).toBe(false);
  expect(requestValue.findings).toBe(1);
});
