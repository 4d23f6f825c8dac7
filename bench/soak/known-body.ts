/** The answers of a soak's origins. They show when an answer belongs to another request, or is incomplete. */

const SMALL = 1_000;
const MIDDLE = 10_000;
const LARGE = 100_000;
/** Length of slow answers and of uploads, which the visitors abort. */
export const ABORTED_BYTES = 1_048_576;

/** The whole body for one number. It differs from all other bodies, and from any shifted one. */
export function knownBody(number: number): Buffer {
  return Buffer.alloc(sizeOf(number), `the answer to ${number} at `);
}

function sizeOf(number: number): number {
  if (number % 50 === 1) return LARGE;
  return number % 5 === 0 ? MIDDLE : SMALL;
}
