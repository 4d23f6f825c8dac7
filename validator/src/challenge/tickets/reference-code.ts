import { randomUUID } from 'node:crypto';

/** Crockford's base 32. It has no I, L, O or U, which are easily misread or misheard. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Eight characters (40 bits) that a person can read out to support, and that the events contain. */
export function newReference(): string {
  // The last ten digits of a version 4 UUID are random. Node generates them in batches.
  let bits = Number.parseInt(randomUUID().slice(-10), 16);
  let code = '';
  for (let i = 0; i < 8; i++) {
    code = ALPHABET.charAt(bits % 32) + code;
    bits = Math.floor(bits / 32);
  }
  return code;
}
