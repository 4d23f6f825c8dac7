import { describe, expect, test } from 'vitest';
import { type LateReason, Patience, type EventLoop } from './patience.ts';

/** An event loop that a test drives turn by turn: timers, then reading, then immediates. */
function createLoop() {
  let now = 1_000;
  let pendingTimers: { readonly at: number; readonly call: () => void }[] = [];
  let immediates: (() => void)[] = [];
  const eventLoop: EventLoop = {
    now: () => now,
    after: (ms, call) => void pendingTimers.push({ at: now + ms, call }),
    afterReading: (call) => void immediates.push(call),
  };
  /** Runs one turn after `ms`. In this time the thread was busy or idle. `read` handles the data that has arrived. */
  const turn = (ms: number, read: () => void = () => undefined) => {
    now += ms;
    const due = pendingTimers.filter(({ at }) => at <= now);
    pendingTimers = pendingTimers.filter(({ at }) => at > now);
    for (const { call } of due) call();
    read();
    const pendingImmediates = immediates;
    immediates = [];
    for (const call of pendingImmediates) call();
  };
  /** Runs turns of one millisecond that have only timers. */
  const idle = (ms: number) => {
    for (const until = now + ms; now < until;) turn(1);
  };
  return { eventLoop, turn, idle, timerCount: () => pendingTimers.length };
}

function startWait(limitMs: number) {
  const loop = createLoop();
  const patience = new Patience(limitMs, loop.eventLoop);
  const lateReasons: LateReason[] = [];
  const begin = () => patience.begin((reason) => lateReasons.push(reason));
  return { ...loop, patience, lateReasons, begin };
}

describe('a wait', () => {
  test('of an idle thread ends exactly at its limit', () => {
    const { begin, idle, lateReasons } = startWait(400);
    begin();
    idle(399);
    expect(lateReasons).toEqual([]);
    idle(1);
    expect(lateReasons).toEqual(['silent']);
    idle(10_000);
    expect(lateReasons).toEqual(['silent']);
  });

  test('does not end when a turn took longer than the limit, because a long turn is counted as 25 ms', () => {
    const { begin, turn, idle, lateReasons } = startWait(400);
    begin();
    turn(700);
    turn(700);
    expect(lateReasons).toEqual([]);
    idle(349);
    expect(lateReasons).toEqual([]);
    idle(2);
    expect(lateReasons).toEqual(['silent']);
  });

  test('does not end while its answer has arrived but was not read', () => {
    const { begin, patience, turn, idle, lateReasons } = startWait(400);
    const wait = begin();
    idle(399);
    turn(5, () => patience.end(wait));
    idle(1_000);
    expect(lateReasons).toEqual([]);
  });

  test('that began in a long turn has its full time limit after this turn', () => {
    const { begin, patience, turn, idle, lateReasons } = startWait(400);
    const first = begin();
    idle(10);
    patience.end(first);
    turn(700, () => void begin());
    idle(375);
    expect(lateReasons).toEqual([]);
    idle(26);
    expect(lateReasons).toEqual(['silent']);
  });

  test('ends as `busy` at ten times its limit, in a thread that is never free', () => {
    const { begin, turn, lateReasons } = startWait(400);
    begin();
    for (let i = 0; i < 9; i++) turn(444);
    expect(lateReasons).toEqual([]);
    turn(444);
    expect(lateReasons).toEqual(['busy']);
  });

  test('does not end as `silent` after the process was suspended for a minute, but as `busy` at the next checks', () => {
    const { begin, turn, idle, lateReasons } = startWait(150);
    begin();
    turn(60_000);
    expect(lateReasons).toEqual([]);
    idle(30);
    expect(lateReasons).toEqual(['busy']);
  });

  test('ends before each wait that began later, and after the last wait no timer is left', () => {
    const { patience, idle, timerCount } = startWait(100);
    const endedWaits: string[] = [];
    const begin = (name: string) => patience.begin(() => endedWaits.push(name));
    begin('first');
    idle(60);
    const second = begin('second');
    begin('third');
    idle(60);
    expect(endedWaits).toEqual(['first']);
    patience.end(second);
    expect(timerCount()).toBe(1);
    idle(60);
    expect(endedWaits).toEqual(['first', 'third']);
    idle(30);
    expect(timerCount()).toBe(0);
  });
});

test('a promise settles with its own result, or, when it is late, with the result for a late answer', async () => {
  const { patience, idle } = startWait(100);
  const pendingPromise = new Promise<string>(() => undefined);
  expect(await patience.within(Promise.resolve('answer'), (why) => why)).toBe('answer');
  await expect(patience.within(Promise.reject(new Error('no')), () => '')).rejects.toThrow('no');
  const lateAnswer = patience.within(pendingPromise, (why) => why);
  idle(101);
  expect(await lateAnswer).toBe('silent');
});
