import { randomUUID } from 'node:crypto';

/** Crockford's base 32: no I, L, O or U, which are misread or misheard. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Eight characters (40 bits) a person can read to support, and find in the events. */
export function newReference(): string {
  // The last ten digits of a version 4 UUID are random, and drawn in batches.
  let bits = Number.parseInt(randomUUID().slice(-10), 16);
  let code = '';
  for (let i = 0; i < 8; i++) {
    code = ALPHABET.charAt(bits % 32) + code;
    bits = Math.floor(bits / 32);
  }
  return code;
}
