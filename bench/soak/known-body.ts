/** What the origins of a soak answer: so that an answer that is anybody else's, or a part of one, shows. */

const SMALL = 1_000;
const MIDDLE = 10_000;
const LARGE = 100_000;
/** In slow answers and uploads, which are given up half-way. */
export const ABORTED_BYTES = 1_048_576;

/** The whole body of one number; no two are alike, and a shifted one is not alike either. */
export function knownBody(number: number): Buffer {
  return Buffer.alloc(sizeOf(number), `the answer to ${number} at `);
}

function sizeOf(number: number): number {
  if (number % 50 === 1) return LARGE;
  return number % 5 === 0 ? MIDDLE : SMALL;
}
