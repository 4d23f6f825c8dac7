import { expect, onTestFinished, test } from 'vitest';
import { type Connection, Connections, type Waiter } from './connections.ts';
import { Window } from './window.ts';

test('after silence a new question is asked at once, though stale ones still wait', () => {
  const limits = { connections: 1, waiting: 10, maxHeaderBytes: 16_384 };
  const window = new Window(150, () => 0);
  // No question is sent to it: a connection opens with the first one.
  const connections = new Connections('http://127.0.0.1:9', limits, window);
  onTestFinished(() => connections.destroy());
  const started: string[] = [];
  let held: Connection | undefined;
  const waiter = (name: string, isInTime: boolean): Waiter => ({
    bytes: 100,
    isInTime: () => isInTime,
    start(connection) {
      started.push(name);
      held = connection;
    },
  });

  const unanswered = waiter('unanswered', true);
  connections.take(unanswered);
  connections.take(waiter('stale', false));
  if (held !== undefined) connections.giveBack(held, unanswered);
  connections.take(waiter('new', true));
  expect(started).toEqual(['unanswered', 'new']);
  expect(connections.areWaiting).toBe(true);
});
