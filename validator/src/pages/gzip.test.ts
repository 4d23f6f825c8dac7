import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { rounds, seededRandom } from '../../../test/kit/seeded-random.ts';
import { deflatePiece, joinGzip } from './gzip.ts';

test('RFC 1952: compressed and uncompressed pieces together are one valid gzip member', () => {
  const random = seededRandom();
  for (let round = 0; round < rounds(100, 3_000); round++) {
    const pieces = Array.from({ length: random.below(12) }, () => {
      const bytes = Buffer.alloc(random.below(random.below(4) === 0 ? 200_000 : 300), 'abc');
      if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
      const deflated = random.below(2) === 0 ? undefined : deflatePiece(bytes);
      return { bytes, length: bytes.length, deflated };
    });
    const whole = Buffer.concat(pieces.map(({ bytes }) => bytes));
    expect(gunzipSync(joinGzip(whole, pieces)).equals(whole)).toBe(true);
  }
});
