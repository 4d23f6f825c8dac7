import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { validatorWith } from '../../../test/kit/validator.ts';
import { chromeHttps, visit } from '../../../test/kit/visitors.ts';

/** Its program is large, so the second test of 1,000 characters is timed. It matches nothing here. */
const COSTLY = 'a{1,50}b{1,50}c';
const headers = { ...chromeHttps, 'x-long': 'x'.repeat(1_000) };

/** The rule of each decision about one visit, when each look at the clock is `stepMs` later than the last. */
async function rulesThatDecide(rules: readonly object[], stepMs: number, visits = 1) {
  const { ask, events } = validatorWith(stringify(rules));
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += stepMs));
  onTestFinished(() => clock.mockRestore());
  for (let each = 0; each < visits; each += 1) await ask(visit({ headers }));
  return events.map(({ rule }) => rule);
}

function costly(count: number, verdict: 'allow' | 'block') {
  return Array.from({ length: count }, (_, each) => ({
    name: `${verdict} ${each + 1}`,
    match: { header: { 'x-long': { regex: COSTLY } } },
    verdict,
  }));
}

const REST = { name: 'rest', match: {}, verdict: 'allow' };

describe('limits: all regular expressions of one request may take 100 ms', () => {
  test('after the limit a blocking rule treats a long value as a match; each request has its own limit', async () => {
    expect(await rulesThatDecide([...costly(9, 'block'), REST], 10, 3)).toEqual(
      Array(3).fill('rest'),
    );
    expect(await rulesThatDecide([...costly(13, 'block'), REST], 10, 2)).toEqual(
      Array(2).fill('block 12'),
    );
  });

  test('1,000 short values of one parameter count like a long one', async () => {
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

  test('a rule that lets through does not match', async () => {
    const rules = [...costly(13, 'allow'), { ...REST, verdict: 'block' }];
    expect(await rulesThatDecide(rules, 10)).toEqual(['rest']);
  });
});
