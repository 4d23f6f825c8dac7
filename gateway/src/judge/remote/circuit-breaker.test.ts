import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../test/kit/seeded-random.ts';
import {
  BREAKER_LIMITS,
  type BreakerChange,
  CircuitBreaker,
  type QuestionResult,
} from './circuit-breaker.ts';

const { failures, firstPauseMs, longestPauseMs, networks, leastMs } = BREAKER_LIMITS;

function build() {
  const changes: BreakerChange[] = [];
  const time = { now: 1_000_000 };
  const breaker = new CircuitBreaker(
    () => time.now,
    BREAKER_LIMITS,
    (change) => changes.push(change),
  );
  let questionCount = 0;
  /** Asks about a visitor of `network`. By default each question is about another network. */
  const ask = (result: QuestionResult, network = `network ${questionCount++ % networks}`) => {
    const admission = breaker.admit();
    if (admission !== 'refused') breaker.settle(admission, result, network);
    return admission;
  };
  const openBreaker = () => {
    for (let i = 1; i < failures; i++) ask('failed');
    time.now += leastMs;
    ask('failed');
  };
  return { breaker, changes, time, ask, openBreaker };
}

describe('a circuit breaker', () => {
  test('opens after failures in a row, but not when an answer comes between them', () => {
    const { breaker, changes, time, ask } = build();
    for (let i = 1; i < failures; i++) ask('failed');
    time.now += leastMs;
    ask('answered', 'network 9');
    for (let i = 1; i < failures; i++) ask('failed');
    expect(breaker.isOpen).toBe(false);
    time.now += leastMs;
    ask('failed');
    expect(breaker.isOpen).toBe(true);
    expect(changes).toEqual([{ kind: 'opened', pauseMs: firstPauseMs }]);
    expect(ask('answered')).toBe('refused');
  });

  test('stays closed in one burst of failures of any size', () => {
    const { breaker, time, ask } = build();
    for (let i = 0; i < 1_000; i++) ask('failed');
    time.now += leastMs - 1;
    for (let i = 0; i < 1_000; i++) ask('failed');
    expect(breaker.isOpen).toBe(false);
  });

  test('stays closed when the failures concern too few networks, however long they last', () => {
    const { breaker, time, ask } = build();
    for (let i = 0; i < 10_000; i++) {
      ask('failed', `network ${i % (networks - 1)}`);
      time.now += 10;
    }
    expect(breaker.isOpen).toBe(false);
  });

  test('stays closed while some questions are answered and many fail', () => {
    const { breaker, time, ask } = build();
    for (let i = 0; i < 10_000; i++) {
      ask(i % 100 === 0 ? 'answered' : 'failed');
      time.now += 10;
    }
    expect(breaker.isOpen).toBe(false);
  });

  test('lets one question at a time pass after the pause, and closes at an answer', () => {
    const { breaker, changes, time, ask, openBreaker } = build();
    openBreaker();
    time.now += firstPauseMs - 1;
    expect(breaker.admit()).toBe('refused');
    time.now += 1;
    expect([breaker.admit(), breaker.admit(), breaker.admit()]).toEqual([
      'trial',
      'refused',
      'refused',
    ]);
    breaker.settle('trial', 'answered', '');
    expect(breaker.isOpen).toBe(false);
    expect(changes.at(-1)).toEqual({ kind: 'closed', openMs: firstPauseMs });
    // The count of failures begins at zero again.
    expect(ask('failed')).toBe('asked');
    expect(breaker.isOpen).toBe(false);
  });

  test('doubles its pause with each trial that fails, up to a bound', () => {
    const { changes, time, ask, openBreaker } = build();
    openBreaker();
    for (let i = 0; i < 8; i++) {
      time.now += longestPauseMs;
      expect(ask('failed')).toBe('trial');
    }
    const pauses = changes.map((change) => ('pauseMs' in change ? change.pauseMs : 0));
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
  });

  test('lets the next question be the trial when a trial had no result', () => {
    const { time, ask, openBreaker } = build();
    openBreaker();
    time.now += firstPauseMs;
    expect([ask('neither'), ask('answered'), ask('answered')]).toEqual(['trial', 'trial', 'asked']);
  });

  test('ignores an answer to a question that was sent before it opened', () => {
    const { breaker, changes, openBreaker } = build();
    const early = breaker.admit();
    openBreaker();
    if (early !== 'refused') breaker.settle(early, 'answered', '');
    expect(early).toBe('asked');
    expect(breaker.isOpen).toBe(true);
    expect(changes).toHaveLength(1);
  });

  test('tries again when the clock is set back', () => {
    const { time, ask, openBreaker } = build();
    openBreaker();
    time.now -= 3_600_000;
    expect(ask('answered')).toBe('trial');
  });

  test('property: in any order of events, at most one trial is under way and each pause ends', () => {
    const random = seededRandom();
    const seedText = `GUARD_TEST_SEED=${random.seed}`;
    const { breaker, time } = build();
    const admissions: ('asked' | 'trial')[] = [];
    for (let step = 0; step < 20_000; step++) {
      time.now += random.below(400);
      const admission = breaker.admit();
      if (admission !== 'refused') admissions.push(admission);
      const trials = admissions.filter((kind) => kind === 'trial').length;
      expect(trials, seedText).toBeLessThanOrEqual(1);
      if (random.next() < 0.3) continue;
      const [settledAdmission] = admissions.splice(random.below(admissions.length), 1);
      const result = random.pick(['answered', 'failed', 'failed', 'neither'] as const);
      if (settledAdmission !== undefined)
        breaker.settle(settledAdmission, result, `network ${random.below(5)}`);
    }
    for (const openAdmission of admissions) breaker.settle(openAdmission, 'neither', '');
    time.now += longestPauseMs;
    expect(breaker.admit(), seedText).not.toBe('refused');
  });
});
