import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CrowdsecChanges } from '@guard/config/contract/crowdsec';
import type { Settings } from '@guard/config/settings/schema';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../../test/kit/serve.ts';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { watchCrowdsec } from './watch-crowdsec.ts';

const HOUR = 3_600_000;
const root = testFolder();

/**
 * Watches a CrowdSec that answers with `state.answer`. The clock starts at ten o'clock. `keptDecisions` are the
 * decisions in the copy.
 */
async function openWatch(keptDecisions?: readonly object[]) {
  const folder = mkdtempSync(join(root, 'copy-'));
  const state = { now: 10 * HOUR, elapsed: 0, answer: {}, requests: 0, wholes: 0 };
  const url = await serve(({ url: path = '' }, response) => {
    state.requests += 1;
    if (path.includes('startup=true')) state.wholes += 1;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(state.answer));
  });
  const file = join(folder, 'crowdsec.json');
  if (keptDecisions)
    writeFileSync(file, JSON.stringify({ url, readAt: state.now, decisions: keptDecisions }));
  const settings = {
    store: { engine: 'memory', path: folder },
    crowdsec: { url, key: 'k', every: 10 },
  } as unknown as Settings;
  const takenChanges: CrowdsecChanges[] = [];
  const { close } = await watchCrowdsec({
    ...{
      settings: () => settings,
      onChanges: (changes) => takenChanges.push(changes),
      log: () => undefined,
    },
    ...{ clock: () => state.now, elapsed: () => state.elapsed, metrics: createMetrics() },
  });
  onTestFinished(close);
  return {
    state,
    taken: takenChanges,
    kept: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
  };
}

/** Waits longer than the usual second, because the machine can be busy. */
const waitUntil = (assertion: () => void) => vi.waitFor(assertion, 45_000);

/** Waits for `count` more answers. After two answers, no answer with an earlier state is under way. */
function answersLater(state: { readonly requests: number }, count = 2): Promise<void> {
  const wantedCount = state.requests + count;
  return waitUntil(() => expect(state.requests).toBeGreaterThanOrEqual(wantedCount));
}

function decision(id: number, value: string, duration = '4h') {
  return { id, type: 'ban', scope: 'Ip', value, duration };
}

test('the copy stays current after the clock was set back, and readable after a broken duration', async () => {
  const { state, kept } = await openWatch();
  const broken = decision(1, '203.0.113.9', '1.2.3h');
  state.answer = { new: [broken, decision(2, '203.0.113.1')] };
  await waitUntil(() => expect(kept()).toContain('203.0.113.1'));
  state.answer = { new: [broken, decision(2, '203.0.113.2')] };
  await answersLater(state);
  state.now -= HOUR;
  await waitUntil(() => expect(kept()).toContain('203.0.113.2'));
  expect(kept()).not.toContain('null');
});

test('a decision that has ended is not in the copy, but each thread still gets its removal by CrowdSec', async () => {
  const { state, taken, kept } = await openWatch();
  state.answer = { new: [decision(1, '203.0.113.1', '1h')] };
  await waitUntil(() => expect(kept()).toContain('203.0.113.1'));
  state.answer = { new: null };
  await answersLater(state);
  state.now += 2 * HOUR;
  state.elapsed += 2 * HOUR;
  state.answer = { new: [decision(2, '203.0.113.2')] };
  await waitUntil(() => expect(kept()).toContain('203.0.113.2'));
  expect(kept()).not.toContain('203.0.113.1"');
  state.answer = { new: null, deleted: [decision(1, '203.0.113.1', '-1h')] };
  await waitUntil(() => expect(taken.at(-1)?.removed).toMatchObject([{ value: '203.0.113.1' }]));
});

test('an invalid network, number or country in the copy is dropped, in the same way as in an answer', async () => {
  const decisionOn = (scope: string, value: string) => ({
    type: 'ban',
    scope,
    value,
    until: 11 * HOUR,
  });
  const validDecisions = [
    decisionOn('network', '203.0.113.1'),
    decisionOn('asn', '64496'),
    decisionOn('country', 'NZ'),
  ];
  const bad = [
    ...['203.0.113.0/', '203.0.113.0/x', '203.0.113.0/33', 'all', ''].map((value) =>
      decisionOn('network', value),
    ),
    ...[decisionOn('asn', 'x'), decisionOn('country', 'nowhere')],
  ];
  const { taken } = await openWatch([...bad, ...validDecisions]);
  expect(taken[0]?.added).toEqual(validDecisions);
});

test('after a change of the clock the whole list is fetched, because the ends of decisions were computed with the old clock', async () => {
  const { state, taken } = await openWatch();
  state.answer = { new: [decision(1, '203.0.113.1', '1h')] };
  await waitUntil(() => expect(taken.at(-1)?.added[0]?.until).toBe(11 * HOUR));
  const { wholes } = state;
  // Guard started with a clock that was two hours slow. According to the right time, this decision has ended.
  state.now += 2 * HOUR;
  await waitUntil(() => expect(taken.at(-1)?.added[0]?.until).toBe(13 * HOUR));
  await answersLater(state, 3);
  expect(state.wholes).toBe(wholes + 1);
});

test('the passing of time alone fetches no whole list', async () => {
  const { state } = await openWatch();
  state.answer = { new: null };
  await answersLater(state);
  const { wholes } = state;
  state.now += HOUR;
  state.elapsed += HOUR;
  await answersLater(state, 3);
  expect(state.wholes).toBe(wholes);
});
