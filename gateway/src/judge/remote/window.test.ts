import { expect, test } from 'vitest';
import { Window } from './window.ts';

const LIMIT_MS = 400;
const KIB = 1024;

/** How many questions of so many bytes may be under way. */
function roomOf(window: Window, bytes = KIB): number {
  let count = 0;
  for (; window.fits(bytes); count++) window.sent(bytes);
  for (let i = 0; i < count; i++) window.ended(bytes, true);
  return count;
}

/** A window after prompt answers to this many questions of 1 KiB, while others waited. */
function grown(answers: number): Window {
  const window = new Window(LIMIT_MS);
  for (let i = 0; i < answers; i++) window.answered(KIB, 10, 0, true);
  return window;
}

test('what is asked at once doubles with each round of prompt answers while others wait, up to a bound', () => {
  const window = new Window(LIMIT_MS);
  const rounds: number[] = [];
  for (let round = 0; round < 6; round++) {
    rounds.push(roomOf(window));
    for (let i = rounds[round] ?? 0; i > 0; i--) window.answered(KIB, 10, 0, true);
  }
  expect(rounds).toEqual([16, 32, 64, 128, 256, 256]);
});

test('a long question takes the room of many short ones, and the longest may go alone', () => {
  expect(roomOf(grown(1_000), 16 * KIB)).toBe(16);
  expect(roomOf(new Window(LIMIT_MS), 64 * KIB)).toBe(1);
});

test('it stays where answers take a quarter of their time, and halves once where they take more', () => {
  const window = grown(1_000);
  window.answered(KIB, LIMIT_MS / 4 + 1, 0, true);
  expect(roomOf(window)).toBe(256);
  for (let i = 0; i < 100; i++) window.answered(KIB, LIMIT_MS / 2 + 1, 0, true);
  expect(roomOf(window)).toBe(128);
  for (let i = 1; i < 10; i++) window.silent(i * LIMIT_MS);
  expect(roomOf(window)).toBe(16);
});

test('what is not used goes again, and the next burst begins with little', () => {
  const inUse = grown(1_000);
  inUse.sent(KIB);
  for (let i = 0; i < 100; i++) inUse.answered(KIB, 10, 0, false);
  inUse.ended(KIB, true);
  expect(roomOf(inUse)).toBe(156);

  const idle = grown(1_000);
  idle.sent(KIB);
  idle.ended(KIB, false);
  expect(roomOf(idle)).toBe(16);
});
