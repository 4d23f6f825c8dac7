import { scryptAsync } from '@noble/hashes/scrypt.js';
import { hasZeroBits, SCRYPT, TRY_BYTES } from '../../page-contract/scrypt.ts';

/**
 * The memory-hard work. A page loads this file when the collector asks for work. It runs in a worker. Without a worker,
 * it runs in the page, in short slices.
 */

const isPage = typeof document !== 'undefined';

/** Longest slice in a page, in milliseconds: half a frame. In a worker no slices are needed. */
const SLICE_MS = isPage ? 8 : 1_000_000;

/** Finds the first counter whose hash starts with as many zero bits as the task requires. */
async function solve(task: string): Promise<number> {
  const bits = Number.parseInt(task, 10);
  for (let counter = 0; ; counter += 1) {
    const options = { ...SCRYPT, dkLen: TRY_BYTES, asyncTick: SLICE_MS };
    if (hasZeroBits(await scryptAsync(task, String(counter), options), bits)) return counter;
    // On a fast processor a whole try is shorter than a slice. Without this wait, no other code of the page would run.
    if (isPage) await new Promise((resolve) => setTimeout(resolve));
  }
}

/** The script element of this program. It carries the function `solve`, so that no global name is needed. */
export interface WorkElement extends HTMLScriptElement {
  solve?: typeof solve;
}

if (!isPage) {
  addEventListener('message', ({ data }: MessageEvent<string>) => {
    void solve(data).then((counter) => postMessage(counter));
  });
  // Reports that the worker has started. Without this report the page does not wait for the worker.
  postMessage('');
} else {
  (document.currentScript as WorkElement).solve = solve;
}
