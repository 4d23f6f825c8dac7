import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ABORTED_BYTES } from './known-body.ts';
import type { Tally } from './tally.ts';
import { headersOf } from './visitors.ts';

const EVERY_MS = 100;
const GIVES_UP_AFTER_MS = 200;

/** Visitors who leave: each second ten in the middle of an answer, and ten in the middle of an upload. */
export async function abort(url: string, tally: Tally, untilMs: number): Promise<void> {
  const leaving = new Set<Promise<void>>();
  for (let number = 1; performance.now() < untilMs; number++) {
    const left = Promise.all([leaveAnswer(url, number), leaveUpload(url, number)]).then(() => {
      tally.note('left in the middle of an answer');
      tally.note('left in the middle of an upload');
      leaving.delete(left);
    });
    leaving.add(left);
    await sleep(EVERY_MS);
  }
  await Promise.all(leaving);
}

async function leaveAnswer(url: string, number: number): Promise<void> {
  const asking = request(`${url}/slow/${number}`, { agent: false, headers: headersOf(number) });
  // A killed origin may end it sooner.
  asking.on('error', () => undefined);
  asking.on('response', (answer) => answer.on('error', () => undefined).resume());
  asking.end();
  await sleep(GIVES_UP_AFTER_MS);
  asking.destroy();
}

async function leaveUpload(url: string, number: number): Promise<void> {
  const sending = request(`${url}/known/${number}`, {
    method: 'POST',
    agent: false,
    headers: { ...headersOf(number), 'content-length': String(ABORTED_BYTES) },
  });
  sending.on('error', () => undefined);
  sending.write(Buffer.alloc(ABORTED_BYTES / 16));
  await sleep(GIVES_UP_AFTER_MS);
  sending.destroy();
}
