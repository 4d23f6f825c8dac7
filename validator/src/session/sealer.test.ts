import { createHmac, hkdfSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSealer } from './sealer.ts';

test('RFC 2104: a seal is HMAC-SHA256 over the fields, with the length of each field before the field', () => {
  const key = new Uint8Array(hkdfSync('sha256', 'a secret', '', 'guard/a purpose', 32));
  for (const fields of [[], [''], ['acme', 'ü'.repeat(70)], [Buffer.alloc(2_000, 0xe9), '1']]) {
    const hmac = createHmac('sha256', key);
    for (const field of fields) hmac.update(`${Buffer.byteLength(field)}:`).update(field);
    const expected = hmac.digest();
    const sealer = createSealer(['a secret'], 'a purpose');
    expect(sealer.seal(fields, 32)).toEqual(expected);
    expect(sealer.verify(fields, expected)).toBe(true);
    expect(sealer.verify([...fields, ''], expected)).toBe(false);
  }
});
