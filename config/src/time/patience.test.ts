import { describe, expect, test } from 'vitest';
import { type LateReason, Patience, type EventLoop } from './patience.ts';

/** An event loop that a test drives turn by turn: timers, then reading, then immediates. */
function createLoop() {
  let now = 1_000;
  let timers: { readonly at: number; readonly call: () => void }[] = [];
  let immediates: (() => void)[] = [];
  const turns: EventLoop = {
    now: () => now,
    after: (ms, call) => void timers.push({ at: now + ms, call }),
    afterReading: (call) => void immediates.push(call),
  };
  /** One turn that begins after `ms`. `read` handles the data that has arrived. */
  const turn = (ms: number, read: () => void = () => undefined) => {
    now += ms;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { call } of due) call();
    read();
    const pendingImmediates = immediates;
    immediates = [];
    for (const call of pendingImmediates) call();
  };
  /** Turns of one millisecond that run only timers. */
  const idle = (ms: number) => {
    for (const until = now + ms; now < until;) turn(1);
  };
  return { turns, turn, idle, timers: () => timers.length };
}

function startWait(limitMs: number) {
  const loop = createLoop();
  const patience = new Patience(limitMs, loop.turns);
  const lateReasons: LateReason[] = [];
  const begin = () => patience.begin((reason) => lateReasons.push(reason));
  return { ...loop, patience, late: lateReasons, begin };
}

describe('a wait', () => {
  test('of an idle thread ends exactly at its limit', () => {
    const { begin, idle, late } = startWait(400);
    begin();
    idle(399);
    expect(late).toEqual([]);
    idle(1);
    expect(late).toEqual(['silent']);
    idle(10_000);
    expect(late).toEqual(['silent']);
  });

  test('does not end when a turn took longer than the limit, because it counts as a short turn', () => {
    const { begin, turn, idle, late } = startWait(400);
    begin();
    turn(700);
    turn(700);
    expect(late).toEqual([]);
    idle(349);
    expect(late).toEqual([]);
    idle(2);
    expect(late).toEqual(['silent']);
  });

  test('does not end while its answer has arrived and is not read', () => {
    const { begin, patience, turn, idle, late } = startWait(400);
    const wait = begin();
    idle(399);
    turn(5, () => patience.end(wait));
    idle(1_000);
    expect(late).toEqual([]);
  });

  test('that began in a long turn has its whole limit after this turn', () => {
    const { begin, patience, turn, idle, late } = startWait(400);
    const first = begin();
    idle(10);
    patience.end(first);
    turn(700, () => void begin());
    idle(375);
    expect(late).toEqual([]);
    idle(26);
    expect(late).toEqual(['silent']);
  });

  test('ends as `busy` at ten times its limit, in a thread that is never free', () => {
    const { begin, turn, late } = startWait(400);
    begin();
    for (let i = 0; i < 9; i++) turn(444);
    expect(late).toEqual([]);
    turn(444);
    expect(late).toEqual(['busy']);
  });

  test('continues after the process was stopped for a minute', () => {
    const { begin, turn, idle, late } = startWait(150);
    begin();
    turn(60_000);
    expect(late).toEqual([]);
    idle(30);
    expect(late).toEqual(['busy']);
  });

  test('ends in the order of the waits, and leaves no timer', () => {
    const { begin, patience, idle, late, timers } = startWait(100);
    begin();
    idle(60);
    const second = begin();
    begin();
    idle(60);
    expect(late).toHaveLength(1);
    patience.end(second);
    expect(timers()).toBe(1);
    idle(60);
    expect(late).toHaveLength(2);
    idle(30);
    expect(timers()).toBe(0);
  });
});

test('a promise settles with its own result, or with the result for a late answer', async () => {
  const { patience, idle } = startWait(100);
  const never = new Promise<string>(() => undefined);
  expect(await patience.within(Promise.resolve('answer'), (why) => why)).toBe('answer');
  await expect(patience.within(Promise.reject(new Error('no')), () => '')).rejects.toThrow('no');
  const lateReasons = patience.within(never, (why) => why);
  idle(101);
  expect(await lateReasons).toBe('silent');
});
