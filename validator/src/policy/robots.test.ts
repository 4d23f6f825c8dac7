import { expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { chromeHttps, visit } from '../../../test/kit/visitors/visitors.ts';

const ROBOTS = { url: 'https://shop.example/robots.txt', headers: { ...chromeHttps } };

/** The managed robots.txt of an organisation with these rules. */
async function robotsUnder(
  rules: string,
  organisation: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { ask } = validatorWith(rules, {
    organisation: { robots_txt: 'managed', ...organisation },
  });
  const { response_html } = await ask(visit(ROBOTS));
  return Buffer.from(response_html ?? '', 'base64').toString();
}

/** The group for `*`, which is the last group of the file. */
const forAll = (robots: string) => robots.slice(robots.indexOf('User-agent: *\n'));

const EVERYBODY = '{ name: everybody, match: {}, detect: true }';

test('without a rule, the allowlist grants search, and robots.txt says nothing about other uses', async () => {
  expect(await robotsUnder('[]')).toBe('User-agent: *\nContent-Signal: search=yes\nAllow: /\n');
  expect(await robotsUnder('[]', { crawler_allowlist: [] })).toBe('User-agent: *\nAllow: /\n');
});

test('the rules for verified crawlers of a category decide the Content-Signal of its use', async () => {
  const robots = await robotsUnder(`[
    { name: proved, match: { crawler: { rsl_category: ai-input, verified: true } }, verdict: allow },
    { name: training, match: { crawler: { category: AI Training } }, verdict: block }]`);
  expect(forAll(robots)).toBe(
    'User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nAllow: /\n',
  );
});

test('a disallowed crawler has its own group, which forbids every use', async () => {
  const robots = await robotsUnder(
    '[{ name: no, match: { crawler: { name: GPTBot } }, verdict: block }]',
  );
  expect(robots).toBe(
    'User-agent: GPTBot\nContent-Signal: search=no, ai-input=no, ai-train=no\nDisallow: /\n\n' +
      'User-agent: *\nContent-Signal: search=yes\nAllow: /\n',
  );
});

test('a rule for one crawler does not grant the use to all crawlers', async () => {
  const robots = await robotsUnder(`[
    { name: has a contract, match: { crawler: { name: GPTBot } }, verdict: allow },
    { name: training, match: { crawler: { rsl_category: ai-train } }, verdict: block }]`);
  expect(robots).not.toContain('User-agent: GPTBot\n');
  expect(robots).toContain('User-agent: ClaudeBot\n');
  expect(forAll(robots)).toContain('ai-train=no');
});

test('one blocked category forbids a use, but one allowed category does not grant the use', async () => {
  const robotsWithRule = (verdict: string) =>
    robotsUnder(`[{ name: r, match: { crawler: { category: AI Search } }, verdict: ${verdict} }]`);
  expect(forAll(await robotsWithRule('block'))).toContain('ai-input=no');
  expect(forAll(await robotsWithRule('allow'))).not.toContain('ai-input');
});

test('a rule that allows all visitors grants no use', async () => {
  const robots = await robotsUnder('[{ name: open, match: {}, verdict: allow }]');
  expect(robots).toBe('User-agent: *\nAllow: /\n');
});

test('a crawler that detection blocks is disallowed, unless its reason is off', async () => {
  const robots = await robotsUnder(`[${EVERYBODY}]`);
  expect(robots).toContain('User-agent: GPTBot\n');
  expect(robots).not.toContain('User-agent: Googlebot\n');
  expect(forAll(robots)).toContain('Content-Signal: search=yes, ai-input=no, ai-train=no\n');
  const off = { detection: { reasons: { crawler_blocked: 'off' } } };
  expect(await robotsUnder(`[${EVERYBODY}]`, off)).not.toContain('Disallow');
});

/** The names in robots.txt when rules block these crawlers. */
async function namesWithout(...crawlers: readonly string[]): Promise<readonly string[]> {
  const rules = crawlers.map((name) => ({
    name,
    match: { crawler: { name } },
    verdict: 'block',
  }));
  const robots = await robotsUnder(JSON.stringify(rules));
  return [...robots.matchAll(/^User-agent: ([^*].*)$/gm)].map(([, name = '']) => name);
}

test('RFC 9309 2.2.1: robots.txt lists each word that a crawler can look for, or its name when there is no such word', async () => {
  expect(await namesWithout('Yahoo! Slurp')).toEqual(['Slurp']);
  expect(await namesWithout('Petal Search')).toEqual(['AspiegelBot']);
  expect(await namesWithout('BuiltWith')).toEqual(['BuiltWith', 'BW']);
  expect(await namesWithout('Toutiaospider', 'MJ12bot')).toEqual(['Toutiaospider', 'MJ12bot']);
  expect(await namesWithout('Sogou web spider')).toEqual(['Sogou web spider']);
});

test('RFC 9309 2.2.1: a name is left out when a strict reader would shorten it to the name of an allowed crawler', async () => {
  expect(await namesWithout('Bluesky Cardyb', 'PayPal IPN', 'GPTBot')).toEqual(['GPTBot']);
  const namesOfBoth = await namesWithout('Bluesky Cardyb', 'Bluesky');
  expect(namesOfBoth.toSorted()).toEqual(['Bluesky', 'Bluesky Cardyb']);
});

test('the signal `use` comes from the settings, in addition to the signals from the rules', async () => {
  const robots = await robotsUnder('[]', { robots_txt: { use: 'reference' } });
  expect(robots).toBe('User-agent: *\nContent-Signal: search=yes, use=reference\nAllow: /\n');
});

test('the line of the licence comes first, and is in no group', async () => {
  const robots = await robotsUnder('[]', {
    robots_txt: { license: 'https://shop.example/license.xml' },
  });
  expect(robots).toMatch(/^License: https:\/\/shop\.example\/license\.xml\n\nUser-agent: \*\n/);
});

test('a licence cannot add further lines', async () => {
  const license = 'https://shop.example/l\nDisallow: / #';
  const robots = await robotsUnder('[]', { robots_txt: { license } });
  expect(robots).not.toMatch(/^Disallow/m);
});
