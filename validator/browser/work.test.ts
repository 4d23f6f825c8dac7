import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isWorkDone } from '../src/challenge/tickets/proof-of-work.ts';
import { hashWords } from './page/sha256.ts';
import { solve } from './page/work.ts';

describe('the silent proof of work', () => {
  test('FIPS 180-4: the page’s own SHA-256 is the one of the server, for every length of two blocks', () => {
    for (let length = 0; length <= 130; length += 1) {
      const message = randomBytes(length);
      const expected = createHash('sha256').update(message).digest();
      const words = Array.from({ length: 8 }, (_, i) => expected.readUInt32BE(i * 4));
      expect([...hashWords(message)], message.toString('hex')).toEqual(words);
    }
  });

  test.each([1, 7, 8, 12])(
    'of %d bits, found by the page, is accepted by the server',
    async (bits) => {
      const ticket = randomBytes(300).toString('base64url');
      const { work } = await solve(ticket, bits);
      expect(isWorkDone(ticket, work, bits)).toBe(true);
    },
  );

  test('is bound to its ticket, and short work is not enough', async () => {
    const ticket = randomBytes(300).toString('base64url');
    const { work = 0 } = await solve(ticket, 8);
    const others = Array.from({ length: 2_000 }, (_, i) => isWorkDone(`${ticket}${i}`, work, 8));
    // 1 in 256 by chance.
    expect(others.filter(Boolean).length).toBeLessThan(40);
    for (let counter = 0; counter < work; counter += 1) {
      expect(isWorkDone(ticket, counter, 8)).toBe(false);
    }
  });

  test('is not asked for by 0 bits, and cannot be left out of more', async () => {
    expect(await solve('ticket', 0)).toEqual({});
    expect(isWorkDone('ticket', undefined, 0)).toBe(true);
    expect(isWorkDone('ticket', undefined, 1)).toBe(false);
  });
});
