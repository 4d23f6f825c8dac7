import { expect, test } from 'vitest';
import { Window } from './queue.ts';

const LIMIT_MS = 400;
const KIB = 1024;

function build() {
  const time = { now: 1_000 };
  const window = new Window(LIMIT_MS, () => time.now);
  /** Answers `count` questions of 1 KiB, each after `tookMs`. `more` is true when other questions wait. */
  const answer = (count: number, tookMs = 10, more = true) => {
    for (let i = 0; i < count; i++) {
      window.noteSent(KIB);
      window.noteAnswer(KIB, time.now - tookMs, more);
      window.noteEnd(KIB, true);
    }
  };
  /** How many questions of this length may be under way. */
  const room = (bytes = KIB) => {
    let count = 0;
    for (; window.hasRoomFor(bytes); count++) window.noteSent(bytes);
    for (let i = 0; i < count; i++) window.noteEnd(bytes, true);
    return count;
  };
  return { window, time, answer, room };
}

test('the window doubles with each round of prompt answers while questions wait, up to a bound', () => {
  const { answer, room } = build();
  const rounds: number[] = [];
  for (let round = 0; round < 6; round++) {
    rounds.push(room());
    answer(rounds[round] ?? 0);
  }
  expect(rounds).toEqual([16, 32, 64, 128, 256, 256]);
});

test('a long question uses the room of many short questions, and the longest question is sent alone', () => {
  const { answer, room } = build();
  expect(room(64 * KIB)).toBe(1);
  answer(1_000);
  expect(room(16 * KIB)).toBe(16);
});

test('the window stays when answers take an eighth of the time limit, and halves once when they take a quarter', () => {
  const { time, answer, room } = build();
  answer(1_000);
  answer(1, 10 + LIMIT_MS / 8 + 1);
  expect(room()).toBe(256);
  answer(10, 10 + LIMIT_MS / 4 + 3);
  expect(room()).toBe(128);
  for (let i = 1; i < 10; i++) {
    time.now += LIMIT_MS;
    answer(1, 10 + LIMIT_MS / 4 + 5);
  }
  expect(room()).toBe(16);
});

test('a validator that is far away is not treated as slow', () => {
  const { answer, room } = build();
  answer(1_000, 200);
  expect(room()).toBe(256);
});

test('a validator without an answer for the time limit is silent, and is asked one question at a time', () => {
  const { window, time, answer, room } = build();
  answer(1_000);
  window.noteSent(KIB);
  time.now += LIMIT_MS - 1;
  expect(window.isSilent).toBe(false);
  time.now += 1;
  expect([window.isSilent, window.hasRoomFor(KIB)]).toEqual([true, false]);
  // The gateway gave up this question, so the next one may be sent, alone.
  window.noteEnd(KIB, true);
  expect([window.isSilent, room()]).toEqual([true, 1]);
  answer(1);
  expect([window.isSilent, room()]).toEqual([false, 256]);
});

test('an unused window shrinks, and the next burst begins with a small window', () => {
  const inUse = build();
  inUse.answer(1_000);
  inUse.answer(100, 10, false);
  expect(inUse.room()).toBe(156);

  const idle = build();
  idle.answer(1_000);
  idle.window.noteSent(KIB);
  idle.window.noteEnd(KIB, false);
  expect(idle.room()).toBe(16);
});
