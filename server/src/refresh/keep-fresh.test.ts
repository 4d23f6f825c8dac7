import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type FetchOutcome, keepFresh, type PublishedData } from './keep-fresh.ts';

const HOUR = 3_600_000;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Keeps one list fresh, and records its fetches and log lines. */
function startFreshList(keptAt: number | undefined, random = 0.5) {
  const fetchedAt: number[] = [];
  const lines: string[] = [];
  const state = { outcome: { kind: 'current' } as FetchOutcome, start: Date.now() };
  const list: { -readonly [Key in keyof PublishedData]: PublishedData[Key] } = {
    key: 'list',
    name: 'a list',
    everyMs: HOUR,
    spreadMs: 60_000,
    keptAt: () => keptAt,
    fetch: () => {
      fetchedAt.push(Date.now() - state.start);
      return Promise.resolve(state.outcome);
    },
  };
  const log = (level: string, event: string, fields: Readonly<Record<string, unknown>> = {}) =>
    void lines.push([level, event, ...Object.values(fields)].join(' '));
  const keeper = keepFresh(
    () => [list],
    { clock: Date.now, log },
    () => random,
  );
  onTestFinished(() => keeper.close());
  return { state, list, fetchedAt, lines, keeper };
}

test('without a copy the first fetch starts within `spreadMs`, and the next fetches follow after each `everyMs`', async () => {
  const { fetchedAt, lines, keeper } = startFreshList(undefined);
  expect(keeper.oldestAt()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(2 * HOUR + 40_000);
  expect(fetchedAt).toHaveLength(2 + 1);
  expect(fetchedAt[0]).toBeLessThan(32_000);
  expect(lines).toEqual(['info published_awaited a list']);
  expect(keeper.oldestAt()).toBeGreaterThan(Date.now() - HOUR);
});

test.each([
  [0, 0.9 * HOUR],
  [0.999, 1.1 * HOUR],
])(
  'instances fetch at different times: the random number %d gives a wait of %d ms',
  async (random, waitMs) => {
    const { fetchedAt } = startFreshList(Date.now(), random);
    await vi.advanceTimersByTimeAsync(waitMs - 10_000);
    expect(fetchedAt).toEqual([]);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(fetchedAt).toHaveLength(1);
  },
);

test('a failure is logged once for each reason and tried again after ten minutes, and the end of the failure is logged', async () => {
  const { state, fetchedAt, lines } = startFreshList(Date.now() - 2 * HOUR);
  state.outcome = { kind: 'old_copy_stays', reason: 'status 500' };
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  expect(fetchedAt).toHaveLength(2);
  state.outcome = { kind: 'old_copy_stays', reason: 'a list without entries' };
  await vi.advanceTimersByTimeAsync(20 * 60_000);
  state.outcome = { kind: 'current', what: { entries: 7 } };
  await vi.advanceTimersByTimeAsync(40 * 60_000);
  expect(lines).toEqual([
    'warn published_kept_back a list status 500',
    'warn published_kept_back a list a list without entries',
    'info published_current a list 7',
  ]);
});

test('after repeated failures the waits grow up to six hours', async () => {
  const { state, list, fetchedAt } = startFreshList(undefined);
  list.everyMs = 24 * HOUR;
  state.outcome = { kind: 'old_copy_stays', reason: 'less than half' };
  await vi.advanceTimersByTimeAsync(24 * HOUR);
  const countOnFirstDay = fetchedAt.length;
  expect(countOnFirstDay).toBeLessThanOrEqual(9);
  await vi.advanceTimersByTimeAsync(24 * HOUR);
  expect(fetchedAt.length - countOnFirstDay).toBe(4);
  state.outcome = { kind: 'current' };
  await vi.advanceTimersByTimeAsync(6 * HOUR);
  const countBeforeFailure = fetchedAt.length;
  state.outcome = { kind: 'old_copy_stays', reason: 'status 500' };
  await vi.advanceTimersByTimeAsync(25 * HOUR);
  const [failedAt = 0, retriedAt = 0] = fetchedAt.slice(countBeforeFailure);
  expect(Math.round((retriedAt - failedAt) / 60_000)).toBe(10);
});

test('fetches continue when the date of a copy is in the future, and after the clock was set back', async () => {
  const { fetchedAt } = startFreshList(Date.now() + 8_760 * HOUR);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetchedAt).toHaveLength(1);
  vi.setSystemTime(Date.now() - 8_760 * HOUR);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetchedAt).toHaveLength(2);
});

test('a reload with a shorter `everyMs` has effect at once', async () => {
  const { list, fetchedAt } = startFreshList(Date.now());
  await vi.advanceTimersByTimeAsync(20 * 60_000);
  list.everyMs = HOUR / 6;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(fetchedAt).toHaveLength(1);
});

test('four fetches run at once; a fifth starts when one of them has ended, also while a slow one still runs', async () => {
  const fetchedKeys: string[] = [];
  const answers = new Map<string, () => void>();
  const slowData = (key: string): PublishedData => ({
    ...{ key, name: key, everyMs: HOUR, spreadMs: 0, keptAt: () => undefined },
    fetch: () => {
      fetchedKeys.push(key);
      return new Promise((resolve) => answers.set(key, () => resolve({ kind: 'current' })));
    },
  });
  const allData = ['a', 'b', 'c', 'd', 'e'].map(slowData);
  const keeper = keepFresh(() => allData, { clock: Date.now, log: () => undefined });
  onTestFinished(() => keeper.close());
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetchedKeys).toEqual(['a', 'b', 'c', 'd']);
  answers.get('c')?.();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(fetchedKeys).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a damaged copy is logged, and does not end the fetches or Guard', async () => {
  const damageError = new Error('not a file of ranges: a.json');
  const { list, lines } = startFreshList(undefined);
  list.fetch = () => Promise.reject(damageError);
  list.keptAt = () => {
    throw damageError;
  };
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(lines).toEqual([
    'info published_awaited a list',
    'warn published_kept_back a list not a file of ranges: a.json',
  ]);
});
