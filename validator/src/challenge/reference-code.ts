import { randomBytes } from 'node:crypto';

/** Crockford's base 32: no I, L, O or U, which are misread or misheard. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Eight characters (40 bits) a person can read to support, and find in the events. */
export function newReference(): string {
  let code = '';
  for (const byte of randomBytes(8)) code += ALPHABET.charAt(byte & 31);
  return code;
}
