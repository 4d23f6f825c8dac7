import { scryptAsync } from '@noble/hashes/scrypt.js';
import { hasZeroBits, SCRYPT, TRY_BYTES } from '../../page-contract/scrypt.ts';

/**
 * The memory-hard work. A page loads this file when the collector asks for work. It runs in a worker. Without a worker,
 * it runs in the page, in short slices.
 */

const isPage = typeof document !== 'undefined';

/** Longest slice in a page, in milliseconds: half a frame. In a worker no slices are needed. */
const SLICE_MS = isPage ? 8 : 1_000_000;

/** Finds the first counter whose hash starts with the zero bits of the task. */
async function solve(task: string): Promise<number> {
  const bits = Number.parseInt(task, 10);
  for (let counter = 0; ; counter += 1) {
    const options = { ...SCRYPT, dkLen: TRY_BYTES, asyncTick: SLICE_MS };
    if (hasZeroBits(await scryptAsync(task, String(counter), options), bits)) return counter;
    // On a fast processor a whole try is shorter than a slice, so no other code runs in between.
    if (isPage) await new Promise((resolve) => setTimeout(resolve));
  }
}

/** The script element of this program. The work is passed in it, so that no global name is needed. */
export interface WorkElement extends HTMLScriptElement {
  solve?: typeof solve;
}

if (!isPage) {
  addEventListener('message', ({ data }: MessageEvent<string>) => {
    void solve(data).then((counter) => postMessage(counter));
  });
  // Reports the start. The page does not wait for a worker without this report.
  postMessage('');
} else {
  (document.currentScript as WorkElement).solve = solve;
}
