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

describe('the crawler lists of this instance are compared with the lists of other instances', () => {
  function watch() {
    const lists: { ownTime: number | undefined; newestTime: number | undefined } = {
      ownTime: undefined,
      newestTime: undefined,
    };
    const sentTimes: number[] = [];
    const log: string[] = [];
    const metrics = createMetrics();
    const close = watchCrawlerRanges(
      {
        heldAt: () => lists.ownTime,
        newestAt(heldAt) {
          sentTimes.push(heldAt);
          return Promise.resolve(lists.newestTime);
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
    return { lists, sentTimes, log, behind: behindSeconds, close };
  }

  test('without lists no time is sent, and without an answer no warning is logged', async () => {
    const { lists, sentTimes, log, behind, close } = watch();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sentTimes).toEqual([]);
    lists.ownTime = NOW;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(sentTimes).toEqual([NOW, NOW, NOW]);
    expect([await behind(), log]).toEqual([0, []]);
    await close();
  });

  test('only lists that are more than a day older than the newest ones cause a warning', async () => {
    const { lists, sentTimes, log, behind, close } = watch();
    lists.ownTime = NOW - 24 * HOUR_MS;
    lists.newestTime = NOW;
    await vi.advanceTimersByTimeAsync(0);
    expect([await behind(), log]).toEqual([86_400, []]);
    lists.newestTime = NOW + 2 * HOUR_MS;
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(sentTimes).toHaveLength(11);
    expect([await behind(), log]).toEqual([26 * 3_600, ['warn crawler_ranges_behind 26']]);
    lists.ownTime = lists.newestTime;
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(await behind()).toBe(0);
    expect(log).toEqual(['warn crawler_ranges_behind 26', 'info crawler_ranges_level ']);
    await close();
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(sentTimes).toHaveLength(21);
  });
});
