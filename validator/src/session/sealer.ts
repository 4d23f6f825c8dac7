import { hash, hkdfSync, timingSafeEqual } from 'node:crypto';

/** One field of a MAC. A text is encoded as UTF-8. */
type Field = string | Uint8Array;

/** Makes and verifies message authentication codes, for values that Guard gives to visitors and later reads again. */
export interface Sealer {
  /** Returns HMAC-SHA256 over the fields with the first key, cut to `bytes` bytes. */
  seal(fields: readonly Field[], bytes: number): Buffer;
  /** Whether one of the keys made `mac` over exactly these fields. The comparison takes constant time. */
  verify(fields: readonly Field[], mac: Uint8Array): boolean;
}

/**
 * Creates a sealer for one purpose. Each purpose has its own keys (HKDF), so that a MAC for one purpose is not valid
 * for another purpose. The first secret signs, and all secrets verify, so that secrets can be rotated.
 */
export function createSealer(secrets: readonly string[], purpose: string): Sealer {
  const keys = secrets.map((secret) => padsOf(deriveKey(secret, purpose)));
  const [signing] = keys;
  if (!signing) throw new Error('a sealer needs at least one secret');
  return {
    seal: (fields, bytes) => macOf(signing, fields).subarray(0, bytes),
    verify: (fields, mac) => {
      if (mac.length < 6) return false;
      let valid = false;
      for (const key of keys) {
        const expected = macOf(key, fields).subarray(0, mac.length);
        if (expected.length === mac.length && timingSafeEqual(expected, mac)) valid = true;
      }
      return valid;
    },
  };
}

/** Derives a 32-byte key for one purpose (RFC 5869). */
export function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `guard/${purpose}`, 32));
}

/** A key that is padded to a block and combined with the two pads of HMAC. */
interface Pads {
  readonly inner: Uint8Array;
  /** The outer block, with space for the inner hash after it. */
  readonly outer: Buffer;
}

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

function padsOf(key: Uint8Array): Pads {
  const padded = (pad: number) =>
    Buffer.alloc(BLOCK_BYTES, pad).map((byte, at) => byte ^ (key[at] ?? 0));
  return {
    inner: padded(0x36),
    outer: Buffer.concat([padded(0x5c), Buffer.alloc(HASH_BYTES)]),
  };
}

/**
 * Computes HMAC-SHA256 (RFC 2104) as two hashes. createHmac() would take twice as long, because it creates an object.
 * The length of each field is hashed before the field, so that ("ab","c") and ("a","bc") have different MACs.
 */
function macOf({ inner, outer }: Pads, fields: readonly Field[]): Buffer {
  const parts: Uint8Array[] = [inner];
  for (const field of fields) {
    const bytes = typeof field === 'string' ? Buffer.from(field) : field;
    parts.push(Buffer.from(`${bytes.length}:`), bytes);
  }
  outer.write(hash('sha256', Buffer.concat(parts), 'binary'), BLOCK_BYTES, 'binary');
  return Buffer.from(hash('sha256', outer, 'binary'), 'binary');
}
