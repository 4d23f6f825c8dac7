import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { watchCrawlerRanges } from './watch-crawler-ranges.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const NOW = 1_800_000_000_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the crawler lists of this instance, compared with other instances', () => {
  function watch() {
    const lists: { here: number | undefined; newest: number | undefined } = {
      here: undefined,
      newest: undefined,
    };
    const toldTimes: number[] = [];
    const log: string[] = [];
    const metrics = createMetrics();
    const close = watchCrawlerRanges(
      {
        heldAt: () => lists.here,
        newestAt(heldAt) {
          toldTimes.push(heldAt);
          return Promise.resolve(lists.newest);
        },
      },
      {
        metrics,
        log: (level, event, fields) =>
          log.push(`${level} ${event} ${fields?.['behindHours'] ?? ''}`),
      },
    );
    const behindSeconds = async () =>
      Number(/^guard_crawler_ranges_behind_seconds (\d+)$/m.exec(await metrics.page())?.[1]);
    return { lists, told: toldTimes, log, behind: behindSeconds, close };
  }

  test('without lists no time is sent, and without an answer the instance does not count as behind', async () => {
    const { lists, told, log, behind, close } = watch();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(told).toEqual([]);
    lists.here = NOW;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(told).toEqual([NOW, NOW, NOW]);
    expect([await behind(), log]).toEqual([0, []]);
    await close();
  });

  test('only lists that are more than a day behind cause a warning', async () => {
    const { lists, told, log, behind, close } = watch();
    lists.here = NOW - 24 * HOUR_MS;
    lists.newest = NOW;
    await vi.advanceTimersByTimeAsync(0);
    expect([await behind(), log]).toEqual([86_400, []]);
    lists.newest = NOW + 2 * HOUR_MS;
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(told).toHaveLength(11);
    expect([await behind(), log]).toEqual([26 * 3_600, ['warn crawler_ranges_behind 26']]);
    lists.here = lists.newest;
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(await behind()).toBe(0);
    expect(log).toEqual(['warn crawler_ranges_behind 26', 'info crawler_ranges_level ']);
    await close();
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(told).toHaveLength(21);
  });
});
