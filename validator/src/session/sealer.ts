import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';

/** Text counts as its UTF-8. */
type Field = string | Uint8Array;

/** Message authentication for what Guard hands to visitors and takes back. */
export interface Sealer {
  /** HMAC-SHA256 over the fields with the first key, cut to `bytes`. */
  seal(fields: readonly Field[], bytes: number): Buffer;
  /** True when one of the live keys made `mac` over exactly these fields. Constant time. */
  verify(fields: readonly Field[], mac: Uint8Array): boolean;
}

/**
 * A sealer for one purpose. Each purpose has keys of its own (HKDF), so that a MAC made for one
 * thing is worth nothing for another. The first secret signs, all of them verify (rotation).
 */
export function createSealer(secrets: readonly string[], purpose: string): Sealer {
  const keys = secrets.map((secret) =>
    createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', `guard/${purpose}`, 32))),
  );
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

/** Every field goes in with its length in front: ("ab","c") and ("a","bc") must not share a MAC. */
function macOf(key: KeyObject, fields: readonly Field[]): Buffer {
  const hmac = createHmac('sha256', key);
  for (const field of fields) {
    hmac.update(`${Buffer.byteLength(field)}:`);
    hmac.update(field);
  }
  return hmac.digest();
}
