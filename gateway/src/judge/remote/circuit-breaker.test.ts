import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../test/kit/seeded-random.ts';
import {
  BREAKER_LIMITS,
  type BreakerChange,
  CircuitBreaker,
  type Ended,
} from './circuit-breaker.ts';

const { failuresInARow, enoughToTell, firstPauseMs, longestPauseMs, windowMs } = BREAKER_LIMITS;

function build() {
  const changes: BreakerChange[] = [];
  const time = { now: 1_000_000 };
  const breaker = new CircuitBreaker(
    () => time.now,
    BREAKER_LIMITS,
    (change) => changes.push(change),
  );
  const ask = (ended: Ended) => {
    const admission = breaker.admit();
    if (admission !== 'refused') breaker.settle(admission, ended);
    return admission;
  };
  const open = () => {
    for (let i = 0; i < failuresInARow; i++) ask('failed');
  };
  return { breaker, changes, time, ask, open };
}

describe('a circuit breaker', () => {
  test('opens after failures in a row, and not when one answer lies between them', () => {
    const { breaker, changes, ask } = build();
    for (let i = 1; i < failuresInARow; i++) ask('failed');
    ask('answered');
    for (let i = 1; i < failuresInARow; i++) ask('failed');
    expect(breaker.isOpen).toBe(false);
    ask('failed');
    expect(breaker.isOpen).toBe(true);
    expect(changes).toEqual([{ kind: 'opened', pauseMs: firstPauseMs }]);
    expect(ask('answered')).toBe('refused');
  });

  test('opens when half of the questions of a window fail, once there were enough to tell', () => {
    const { breaker, ask } = build();
    for (let i = 1; i < enoughToTell; i++) ask(i % 2 === 0 ? 'failed' : 'answered');
    expect(breaker.isOpen).toBe(false);
    ask('failed');
    expect(breaker.isOpen).toBe(true);
  });

  test('forgets what failed in a window before', () => {
    const { breaker, time, ask } = build();
    for (let round = 0; round < 5; round++) {
      for (let i = 1; i < enoughToTell; i++) ask(i % 2 === 0 ? 'failed' : 'answered');
      time.now += windowMs;
    }
    expect(breaker.isOpen).toBe(false);
  });

  test('tries one question at a time when the pause is over, and an answer closes it', () => {
    const { breaker, changes, time, ask, open } = build();
    open();
    time.now += firstPauseMs - 1;
    expect(breaker.admit()).toBe('refused');
    time.now += 1;
    expect([breaker.admit(), breaker.admit(), breaker.admit()]).toEqual([
      'trial',
      'refused',
      'refused',
    ]);
    breaker.settle('trial', 'answered');
    expect(breaker.isOpen).toBe(false);
    expect(changes.at(-1)).toEqual({ kind: 'closed', openMs: firstPauseMs });
    // It begins anew: the failures before are not added to.
    expect(ask('failed')).toBe('asked');
    expect(breaker.isOpen).toBe(false);
  });

  test('doubles its pause with each trial that fails, up to a bound', () => {
    const { changes, time, ask, open } = build();
    open();
    for (let i = 0; i < 8; i++) {
      time.now += longestPauseMs;
      expect(ask('failed')).toBe('trial');
    }
    const pauses = changes.map((change) => ('pauseMs' in change ? change.pauseMs : 0));
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
  });

  test('lets the next question try when a trial ended without saying anything', () => {
    const { time, ask, open } = build();
    open();
    time.now += firstPauseMs;
    expect([ask('neither'), ask('answered'), ask('answered')]).toEqual(['trial', 'trial', 'asked']);
  });

  test('hears nothing in an answer to what was asked before it opened', () => {
    const { breaker, changes, open } = build();
    const early = breaker.admit();
    open();
    if (early !== 'refused') breaker.settle(early, 'answered');
    expect(early).toBe('asked');
    expect(breaker.isOpen).toBe(true);
    expect(changes).toHaveLength(1);
  });

  test('tries again when the clock is set back', () => {
    const { time, ask, open } = build();
    open();
    time.now -= 3_600_000;
    expect(ask('answered')).toBe('trial');
  });

  test('whatever happens in whatever order, at most one trial is under way and a pause comes to its end', () => {
    const random = seededRandom();
    const said = `GUARD_TEST_SEED=${random.seed}`;
    const { breaker, time } = build();
    const underway: ('asked' | 'trial')[] = [];
    for (let step = 0; step < 20_000; step++) {
      time.now += random.below(400);
      const admission = breaker.admit();
      if (admission !== 'refused') underway.push(admission);
      const trials = underway.filter((each) => each === 'trial').length;
      expect(trials, said).toBeLessThanOrEqual(1);
      if (random.next() < 0.3) continue;
      const [one] = underway.splice(random.below(underway.length), 1);
      const ended = random.pick(['answered', 'failed', 'failed', 'neither'] as const);
      if (one !== undefined) breaker.settle(one, ended);
    }
    for (const each of underway) breaker.settle(each, 'neither');
    time.now += longestPauseMs;
    expect(breaker.admit(), said).not.toBe('refused');
  });
});
