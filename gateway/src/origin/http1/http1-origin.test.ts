import { expect, test } from 'vitest';
import { IdleStack } from './http1-origin.ts';

const at = (idleSince: number) => ({ idleSince });

test('the connection that was used last is used first, unless it was idle too long', () => {
  const stack = new IdleStack(3);
  const [old, recent] = [at(1), at(5)];
  stack.put(old);
  stack.put(recent);
  expect(stack.take(6)).toBeUndefined();
  expect(stack.take(5)).toBe(recent);
  expect(stack.take(5)).toBeUndefined();
  expect(stack.take(0)).toBe(old);
  expect(stack.take(0)).toBeUndefined();
});

test('the stack never exceeds its bound, and a removed connection is not used', () => {
  const stack = new IdleStack(2);
  const [first, second] = [at(1), at(2)];
  expect([stack.put(first), stack.put(second), stack.put(at(3))]).toEqual([true, true, false]);
  stack.remove(second);
  stack.remove(second);
  expect(stack.take(0)).toBe(first);
});
