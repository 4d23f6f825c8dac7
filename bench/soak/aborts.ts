import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ABORTED_BYTES } from './known-body.ts';
import type { Tally } from './tally.ts';
import { headersOf } from './visitors.ts';

const EVERY_MS = 100;
const GIVES_UP_AFTER_MS = 200;

/** Visitors who leave: each second ten in the middle of an answer, and ten in the middle of an upload. */
export async function abort(url: string, tally: Tally, untilMs: number): Promise<void> {
  const openLeaves = new Set<Promise<void>>();
  for (let number = 1; performance.now() < untilMs; number++) {
    const departure = Promise.all([leaveAnswer(url, number), leaveUpload(url, number)]).then(() => {
      tally.note('left in the middle of an answer');
      tally.note('left in the middle of an upload');
      openLeaves.delete(departure);
    });
    openLeaves.add(departure);
    await sleep(EVERY_MS);
  }
  await Promise.all(openLeaves);
}

async function leaveAnswer(url: string, number: number): Promise<void> {
  const clientRequest = request(`${url}/slow/${number}`, {
    agent: false,
    headers: headersOf(number),
  });
  // When an origin is killed, the upload can end sooner.
  clientRequest.on('error', () => undefined);
  clientRequest.on('response', (answer) => answer.on('error', () => undefined).resume());
  clientRequest.end();
  await sleep(GIVES_UP_AFTER_MS);
  clientRequest.destroy();
}

async function leaveUpload(url: string, number: number): Promise<void> {
  const clientRequest = request(`${url}/known/${number}`, {
    method: 'POST',
    agent: false,
    headers: { ...headersOf(number), 'content-length': String(ABORTED_BYTES) },
  });
  clientRequest.on('error', () => undefined);
  clientRequest.write(Buffer.alloc(ABORTED_BYTES / 16));
  await sleep(GIVES_UP_AFTER_MS);
  clientRequest.destroy();
}
