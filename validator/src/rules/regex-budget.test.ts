import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { chromeHttps, visit } from '../../../test/kit/visitors/visitors.ts';

/** A regular expression that is so costly that Guard measures its time for 1,000 characters. It never matches. */
const COSTLY = 'a{1,50}b{1,50}c';
const headers = { ...chromeHttps, 'x-long': 'x'.repeat(1_000) };

/** The names of the rules that decide these visits. Each call of the clock is `stepMs` later than the call before. */
async function rulesThatDecide(rules: readonly object[], stepMs: number, visits = 1) {
  const { ask, events } = validatorWith(stringify(rules));
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += stepMs));
  onTestFinished(() => clock.mockRestore());
  for (let index = 0; index < visits; index += 1) await ask(visit({ headers }));
  return events.map(({ rule }) => rule);
}

function costlyRules(count: number, verdict: 'allow' | 'block') {
  return Array.from({ length: count }, (_, index) => ({
    name: `${verdict} ${index + 1}`,
    match: { header: { 'x-long': { regex: COSTLY } } },
    verdict,
  }));
}

const REST = { name: 'rest', match: {}, verdict: 'allow' };

describe('the time limit for all regular expressions of one request is 100 ms', () => {
  test('after the limit, a long value matches a blocking rule, and each request has its own limit', async () => {
    expect(await rulesThatDecide([...costlyRules(9, 'block'), REST], 10, 3)).toEqual(
      Array(3).fill('rest'),
    );
    expect(await rulesThatDecide([...costlyRules(13, 'block'), REST], 10, 2)).toEqual(
      Array(2).fill('block 12'),
    );
  });

  test('1,000 short values of one parameter are treated like one long value', async () => {
    const { ask, events } = validatorWith(
      stringify([
        { name: 'q', match: { query: { q: { regex: COSTLY } } }, verdict: 'block' },
        REST,
      ]),
    );
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1));
    onTestFinished(() => clock.mockRestore());
    await ask(visit({ url: `https://shop.example/?${'q=xxxxxxxxxx&'.repeat(1_000)}` }));
    expect(events[0]?.rule).toBe('q');
    await ask(visit({ url: `https://shop.example/?${'q=xxxxxxxxxx&'.repeat(100)}` }));
    expect(events[1]?.rule).toBe('rest');
  });

  test('after the limit, a long value does not match an allowing rule', async () => {
    const rules = [...costlyRules(13, 'allow'), { ...REST, verdict: 'block' }];
    expect(await rulesThatDecide(rules, 10)).toEqual(['rest']);
  });
});
