/**
 * The answers of a soak's origins. From such an answer a client sees whether it is the answer to another request, or is
 * incomplete.
 */

const SMALL = 1_000;
const MIDDLE = 10_000;
const LARGE = 100_000;
/** The length of slow answers and of uploads. The visitors abort them. */
export const ABORTED_BYTES = 1_048_576;

/** The whole body for one number. It differs from all other bodies, also when they are shifted. */
export function knownBody(number: number): Buffer {
  return Buffer.alloc(sizeOf(number), `the answer to ${number} at `);
}

function sizeOf(number: number): number {
  if (number % 50 === 1) return LARGE;
  return number % 5 === 0 ? MIDDLE : SMALL;
}
