/**
 * SHA-256 (FIPS 180-4). The browser's own is missing on plain http, and takes a turn of the event
 * loop for every hash.
 */

/** The first 32 bits of the fractional parts of roots of the first 64 primes. */
const primes = firstPrimes(64);
const START = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const ROUND = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));

const schedule = new Int32Array(64);

/** The hash as eight words of 32 bits. */
export function hashWords(message: Uint8Array): Uint32Array {
  const blocks = new DataView(new ArrayBuffer(((message.length + 72) >> 6) << 6));
  new Uint8Array(blocks.buffer).set(message);
  blocks.setUint8(message.length, 0x80);
  // The length stands in bits; no message here comes near 2^32 of them.
  blocks.setUint32(blocks.byteLength - 4, message.length * 8);
  const state = START.slice();
  for (let at = 0; at < blocks.byteLength; at += 64) compress(state, blocks, at);
  return Uint32Array.from(state);
}

function compress(state: Int32Array, blocks: DataView, from: number): void {
  const w = schedule;
  for (let i = 0; i < 64; i += 1) {
    w[i] =
      i < 16
        ? blocks.getInt32(from + i * 4)
        : word(w, i - 16) +
          smallSigma(word(w, i - 15), 7, 18, 3) +
          word(w, i - 7) +
          smallSigma(word(w, i - 2), 17, 19, 10);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const one =
      h +
      (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
      ((e & f) ^ (~e & g)) +
      word(ROUND, i) +
      word(w, i);
    const two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] = word(state, i) + value));
}

/** An entry of a list that is always asked within its length. */
function word(list: Int32Array, at: number): number {
  return list[at] ?? 0;
}

function rotate(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}

function smallSigma(value: number, one: number, two: number, shift: number): number {
  return rotate(value, one) ^ rotate(value, two) ^ (value >>> shift);
}

function fraction(root: number): number {
  return (root % 1) * 2 ** 32;
}

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next += 1) {
    if (found.every((prime) => next % prime !== 0)) found.push(next);
  }
  return found;
}
