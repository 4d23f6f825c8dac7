import { describe, expect, test } from 'vitest';
import { OriginHealth, takeTurns } from './origins.ts';
import { seededRandom } from '../../../test/kit/seeded-random.ts';

function build(...names: readonly string[]) {
  const time = { now: 1_000_000 };
  const origins = names.map((name) => ({ name, health: new OriginHealth(() => time.now) }));
  const turns = takeTurns(origins, ({ health }) => health);
  const take = (count: number) => Array.from({ length: count }, () => turns.next().name).join('');
  const report = (name: string, isReached: boolean) => {
    const origin = origins.find((each) => each.name === name);
    if (origin !== undefined) turns.report(origin, isReached);
  };
  return { time, turns, take, report };
}

describe('origin pools with health', () => {
  test('origins that can be reached get requests in turn', () => {
    const { take, turns } = build('a', 'b', 'c');
    expect(take(6)).toBe('bcabca');
    expect(turns.count).toBe(3);
  });

  test('an origin that refused is left out for a second, and then one request tries the origin', () => {
    const { take, report, time } = build('a', 'b', 'c');
    report('b', false);
    expect(take(4)).toBe('caca');
    time.now += 999;
    expect(take(4)).toBe('caca');
    time.now += 1;
    expect(take(6).match(/b/g)).toHaveLength(1);
  });

  test('the pause doubles with each failed try, up to 30 s, and ends with a success', () => {
    const { take, report, time } = build('a', 'b');
    const pauses: number[] = [];
    for (let i = 0; i < 7; i++) {
      report('a', false);
      let pausedMs = 0;
      while (!take(2).includes('a')) {
        time.now += 500;
        pausedMs += 500;
      }
      pauses.push(pausedMs);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    report('a', true);
    expect(take(4)).toMatch(/^(ab){2}$|^(ba){2}$/);
    report('a', false);
    time.now += 1_000;
    expect(take(2)).toContain('a');
  });

  test('requests that fail together are counted as one failure', () => {
    const { take, report, time } = build('a', 'b');
    for (let i = 0; i < 100; i++) report('a', false);
    time.now += 1_000;
    expect(take(2)).toContain('a');
  });

  test('a try without a report is followed by another try', () => {
    const { take, report, time } = build('a', 'b');
    report('a', false);
    for (let i = 0; i < 5; i++) {
      time.now += 1_000;
      expect(take(10).match(/a/g)).toHaveLength(1);
    }
  });

  test('when no origin can be reached, all are tried', () => {
    const { take, report } = build('a', 'b', 'c');
    for (const name of 'abc') report(name, false);
    expect(take(6)).toBe('bcabca');
  });

  test('a single origin is always used', () => {
    const { take, report } = build('a');
    report('a', false);
    expect(take(3)).toBe('aaa');
  });

  test('a clock that is set back ends a pause', () => {
    const { take, report, time } = build('a', 'b');
    report('a', false);
    time.now -= 86_400_000;
    expect(take(2)).toContain('a');
  });

  test('after any order of reports, all origins get requests in turn again when they can be reached', () => {
    const random = seededRandom();
    const names = ['a', 'b', 'c', 'd'] as const;
    const { turns, report, time } = build(...names);
    const isUp = new Map<string, boolean>(names.map((name) => [name, true]));
    for (let step = 0; step < 20_000; step++) {
      time.now += random.below(200);
      if (random.below(50) === 0) isUp.set(random.pick(names), random.below(2) === 0);
      const { name } = turns.next();
      if (random.below(10) > 0) report(name, isUp.get(name) === true);
    }
    for (const name of names) isUp.set(name, true);
    // After the longest pause each origin is tried, and from then on all get requests in turn.
    for (let i = 0; i < 4; i++) {
      time.now += 30_000;
      for (let k = 0; k < 8; k++) report(turns.next().name, true);
    }
    const nextNames = Array.from({ length: 4 }, () => turns.next().name).sort();
    expect(nextNames, `GUARD_TEST_SEED=${random.seed}`).toEqual([...names]);
  });

  test('a site needs an origin', () => {
    expect(() => takeTurns([], () => new OriginHealth(Date.now))).toThrow(TypeError);
  });
});
