import { randomUUID } from 'node:crypto';

/** Crockford's base 32. It lacks I, L, O and U, which people easily misread or mishear. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A new code of eight characters (40 bits). A person can read it out to support, and the event contains it. */
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
