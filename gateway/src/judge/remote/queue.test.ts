import { expect, test } from 'vitest';
import { Queue, type Waiter, Window } from './queue.ts';

test('after silence a new question is sent at once, before old questions that still wait', () => {
  const queue = new Queue({ connections: 1, waiting: 10 }, new Window(150, () => 0));
  const startedNames: string[] = [];
  const waiter = (name: string, isInTime: boolean): Waiter => ({
    bytes: 100,
    isInTime: () => isInTime,
    start: () => startedNames.push(name),
  });

  const unanswered = waiter('unanswered', true);
  queue.take(unanswered);
  queue.take(waiter('stale', false));
  queue.release(unanswered);
  queue.take(waiter('new', true));
  expect(startedNames).toEqual(['unanswered', 'new']);
  expect(queue.areWaiting).toBe(true);
});
