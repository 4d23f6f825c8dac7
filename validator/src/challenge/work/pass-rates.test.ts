import { expect, test } from 'vitest';
import { PassRates } from './pass-rates.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Evenly distributed passes of client classes. Each call continues at the time at which the previous call ended. */
class Traffic {
  #nowMs = 1_800_000_000_000;
  readonly #tempo = new PassRates(this.#nowMs);

  highestLevel(perTenMinutes: number, forMs: number, client = 'https chromium'): number {
    return highest(this.levels(perTenMinutes, forMs, () => client));
  }

  /** Returns the level of each pass. */
  levels(perTenMinutes: number, forMs: number, clientOf: (index: number) => string): number[] {
    const levels: number[] = [];
    const endMs = this.#nowMs + forMs;
    for (; this.#nowMs < endMs; this.#nowMs += (10 * MINUTE_MS) / perTenMinutes) {
      levels.push(this.#tempo.level(clientOf(levels.length), this.#nowMs, 1));
    }
    return levels;
  }
}

test('the usual traffic of a large site is normal from the first minute, and three times as much is normal too', () => {
  const traffic = new Traffic();
  expect(traffic.highestLevel(2_000, 12 * HOUR_MS)).toBe(0);
  expect(traffic.highestLevel(6_000, HOUR_MS)).toBe(0);
});

test('twenty times the usual traffic is above normal within ten minutes, and afterwards the level soon falls to 0', () => {
  const traffic = new Traffic();
  traffic.highestLevel(500, 12 * HOUR_MS);
  expect(traffic.highestLevel(10_000, 10 * MINUTE_MS)).toBeGreaterThanOrEqual(2);
  traffic.highestLevel(500, 30 * MINUTE_MS);
  expect(traffic.highestLevel(500, HOUR_MS)).toBe(0);
});

test('up to 200 passes in ten minutes are normal for a small site, and for a new class', () => {
  const traffic = new Traffic();
  traffic.highestLevel(5, 12 * HOUR_MS);
  expect(traffic.highestLevel(190, HOUR_MS)).toBe(0);
  expect(traffic.highestLevel(190, HOUR_MS, 'https new')).toBe(0);
  expect(traffic.highestLevel(3_000, HOUR_MS, 'https other')).toBeGreaterThanOrEqual(3);
});

test('an attack does not become normal in three hours, but tenfold growth is normal after two days', () => {
  const traffic = new Traffic();
  traffic.highestLevel(200, 24 * HOUR_MS);
  traffic.highestLevel(2_000, 3 * HOUR_MS);
  expect(traffic.highestLevel(2_000, 5 * MINUTE_MS)).toBeGreaterThanOrEqual(1);
  traffic.highestLevel(2_000, 45 * HOUR_MS);
  expect(traffic.highestLevel(2_000, HOUR_MS)).toBe(0);
});

const classOfMany = (count: number) => (index: number) => `https c${index % count}`;
const highest = (levels: readonly number[]) =>
  levels.reduce((maximum, level) => Math.max(maximum, level), 0);
const countFree = (levels: readonly number[]) => levels.filter((level) => level === 0).length;

test.each([120, 300, 5_000])(
  'a program that uses %i new classes in turn has 400 free passes for all of them',
  (classes) => {
    const traffic = new Traffic();
    traffic.highestLevel(20, 24 * HOUR_MS);
    const levels = traffic.levels(200_000, MINUTE_MS, classOfMany(classes));
    expect(levels).toHaveLength(20_000);
    expect(countFree(levels)).toBeLessThanOrEqual(400);
    expect(levels.at(-1)).toBeGreaterThanOrEqual(3);
  },
);

test('people with a known class need no work while new classes are above normal, and no work later', () => {
  const traffic = new Traffic();
  traffic.highestLevel(100, 24 * HOUR_MS);
  const levels = traffic.levels(20_000, 10 * MINUTE_MS, (index) =>
    index % 200 === 0 ? 'https chromium' : `https c${index}`,
  );
  expect(countFree(levels.filter((_, index) => index % 200 !== 0))).toBeLessThan(500);
  expect(levels.filter((level, index) => index % 200 === 0 && level > 0)).toEqual([]);
  expect(traffic.highestLevel(100, HOUR_MS)).toBe(0);
});

test('when all passes together are above normal, an attacker’s classes that became known in hours need work, and people do not', () => {
  const traffic = new Traffic();
  traffic.highestLevel(100, 12 * HOUR_MS);
  // Each class passes three times in ten minutes, which is below every limit, until all classes are known.
  traffic.levels(300, 2 * HOUR_MS, classOfMany(100));
  const levels = traffic.levels(20_000, 10 * MINUTE_MS, (index) =>
    index % 200 === 0 ? 'https chromium' : classOfMany(100)(index),
  );
  expect(countFree(levels.filter((_, index) => index % 200 !== 0))).toBeLessThan(3_500);
  expect(levels.filter((level, index) => index % 200 === 0 && level > 0)).toEqual([]);
});

test.each([0, 5, 15, 30, 60])(
  '%i minutes after a start without visitors, free passes are limited for one class and for many',
  (minutes) => {
    for (const classes of [1, 300]) {
      const traffic = new Traffic();
      traffic.levels(1, minutes * MINUTE_MS, () => 'https chromium');
      const levels = traffic.levels(100_000, MINUTE_MS, classOfMany(classes));
      expect(levels).toHaveLength(10_000);
      expect(countFree(levels)).toBeLessThanOrEqual(minutes < 10 ? 3_100 : 500);
      expect(levels.at(-1)).toBeGreaterThanOrEqual(minutes < 10 ? 2 : 3);
    }
  },
);

test('after a start, the traffic of a busy site with several browsers is normal, and its busiest hour is normal too', () => {
  const traffic = new Traffic();
  const browser = (index: number) =>
    `https ${['chromium', 'chromium', 'gecko', 'webkit'][index % 4]}`;
  expect(highest(traffic.levels(3_000, 5 * HOUR_MS, browser))).toBe(0);
  expect(highest(traffic.levels(9_000, HOUR_MS, browser))).toBe(0);
});

test('an attack that begins a quarter of an hour after a start does not become normal in an hour', () => {
  const traffic = new Traffic();
  traffic.highestLevel(200, 15 * MINUTE_MS);
  expect(traffic.highestLevel(20_000, HOUR_MS)).toBeGreaterThanOrEqual(3);
  expect(
    Math.min(...traffic.levels(20_000, MINUTE_MS, () => 'https chromium')),
  ).toBeGreaterThanOrEqual(2);
});
