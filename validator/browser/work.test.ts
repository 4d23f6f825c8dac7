import { randomBytes } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { isCheckBusy, isWorkDone } from '../src/challenge/work/check-work.ts';
import { issueTask, readTask } from '../src/challenge/work/tasks.ts';
import { createSealer } from '../src/session/sealer.ts';
import { loadBrowserBundle } from './build.ts';

/** Runs the program of a page in a worker, and returns its answer to one task. */
function workerAnswer(task: string): Promise<unknown> {
  return new Promise((resolve) => {
    let onMessage: (event: { data: string }) => void = () => undefined;
    const context = createContext({
      TextEncoder,
      setTimeout,
      addEventListener: (_name: string, listener: typeof onMessage) => (onMessage = listener),
      postMessage: (answer: unknown) => {
        if (answer === '') setImmediate(() => onMessage({ data: task }));
        else resolve(answer);
      },
    });
    runInContext(loadBrowserBundle().work, context);
  });
}

describe('the memory-hard work', () => {
  test.each([1, 3, 5])('of %d bits by the page is accepted by the server', async (bits) => {
    const task = `${bits}.${randomBytes(16).toString('base64url')}`;
    expect(await isWorkDone(task, Number(await workerAnswer(task)), bits)).toBe(true);
  });

  test('gives the thread back to the page after each try when there is no worker', async () => {
    const element: { solve?: (task: string) => Promise<number> } = {};
    let timeoutCount = 0;
    const countingTimeout = (callback: () => void, ms?: number) => {
      timeoutCount += 1;
      return setTimeout(callback, ms);
    };
    const document = { currentScript: element };
    runInContext(
      loadBrowserBundle().work,
      createContext({ TextEncoder, setTimeout: countingTimeout, document }),
    );
    const task = `4.${randomBytes(16).toString('base64url')}`;
    const counter = (await element.solve?.(task)) ?? -1;
    expect(await isWorkDone(task, counter, 4)).toBe(true);
    expect(timeoutCount).toBeGreaterThanOrEqual(counter);
  });

  test('is checked by at most four checks at a time: three leave room for one more, and four leave none', async () => {
    const check = (counter: number) => isWorkDone('1.x', counter, 1);
    const checks = [0, 1, 2].map(check);
    expect(isCheckBusy()).toBe(false);
    checks.push(check(3));
    expect(isCheckBusy()).toBe(true);
    await Promise.all(checks);
    expect(isCheckBusy()).toBe(false);
  });

  test('is valid only for its task, and work with fewer bits is not enough', async () => {
    const task = `5.${randomBytes(16).toString('base64url')}`;
    const counter = Number(await workerAnswer(task));
    for (let smallerCounter = 0; smallerCounter < counter; smallerCounter += 1) {
      expect(await isWorkDone(task, smallerCounter, 5)).toBe(false);
    }
    let byChance = 0;
    for (let i = 0; i < 64; i += 1) {
      if (await isWorkDone(`${task}${i}`, counter, 5)) byChance += 1;
    }
    // With 5 bits, 2 of 64 other tasks accept the work by chance.
    expect(byChance).toBeLessThan(16);
  });
});

describe('a task', () => {
  const sealer = createSealer(['the first secret of the tests'], 'work');
  const task = issueTask(sealer, 'one ticket', 5);

  test('has its bits only with its own ticket', () => {
    expect(readTask(sealer, 'one ticket', task)).toBe(5);
    expect(readTask(sealer, 'another ticket', task)).toBe(0);
  });

  test('has only one valid spelling, and cannot be forged', () => {
    const [, mac = ''] = task.split('.');
    const spareBits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      .split('')
      .map((letter) => `5.${mac.slice(0, -1)}${letter}`)
      .filter((text) => text !== task);
    const unsealed = `5.${Buffer.alloc(16).toString('base64url')}`;
    const otherSpellings = [
      `1.${mac}`,
      `05.${mac}`,
      `5.${mac}=`,
      ` ${task}`,
      mac,
      '',
      '5.',
      unsealed,
    ];
    for (const text of [...spareBits, ...otherSpellings]) {
      expect(readTask(sealer, 'one ticket', text), text).toBe(0);
    }
  });
});
