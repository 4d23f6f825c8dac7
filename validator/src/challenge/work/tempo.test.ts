import { expect, test } from 'vitest';
import { Tempo } from './tempo.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A class of clients over time: so many passes in each ten minutes, evenly, for so long. Gives its highest level. */
class Traffic {
  readonly #tempo = new Tempo();
  #nowMs = 1_800_000_000_000;

  flow(perTenMinutes: number, forMs: number, client = 'https chromium'): number {
    let highest = 0;
    const endMs = this.#nowMs + forMs;
    for (; this.#nowMs < endMs; this.#nowMs += (10 * MINUTE_MS) / perTenMinutes) {
      highest = Math.max(highest, this.#tempo.level(client, this.#nowMs));
    }
    return highest;
  }
}

test('a large site’s own traffic is no pressure, from its first minute on, and three times as much neither', () => {
  const traffic = new Traffic();
  expect(traffic.flow(2_000, 12 * HOUR_MS)).toBe(0);
  expect(traffic.flow(6_000, HOUR_MS)).toBe(0);
});

test('twenty times as much is pressure within ten minutes, and it is over soon after', () => {
  const traffic = new Traffic();
  traffic.flow(500, 12 * HOUR_MS);
  expect(traffic.flow(10_000, 10 * MINUTE_MS)).toBeGreaterThanOrEqual(2);
  traffic.flow(500, 30 * MINUTE_MS);
  expect(traffic.flow(500, HOUR_MS)).toBe(0);
});

test('a small site is left alone below 200 in ten minutes, and a class that nobody had before too', () => {
  const traffic = new Traffic();
  traffic.flow(5, 12 * HOUR_MS);
  expect(traffic.flow(190, HOUR_MS)).toBe(0);
  expect(traffic.flow(190, HOUR_MS, 'https new')).toBe(0);
  expect(traffic.flow(3_000, HOUR_MS, 'https other')).toBeGreaterThanOrEqual(3);
});

test('an attack is still one after three hours; a site that has grown tenfold is left alone after two days', () => {
  const traffic = new Traffic();
  traffic.flow(200, 24 * HOUR_MS);
  traffic.flow(2_000, 3 * HOUR_MS);
  expect(traffic.flow(2_000, 5 * MINUTE_MS)).toBeGreaterThanOrEqual(1);
  traffic.flow(2_000, 45 * HOUR_MS);
  expect(traffic.flow(2_000, HOUR_MS)).toBe(0);
});
