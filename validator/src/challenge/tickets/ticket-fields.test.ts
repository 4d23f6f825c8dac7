import { expect, test } from 'vitest';
import { seededRandom } from '../../../../test/kit/seeded-random.ts';
import { readFields, writeFields } from './ticket-fields.ts';

const ALPHABET = ['', '0', '1', ':', '2:', 'a', '11', 'é', '💥', '1:a', ','] as const;

test('readFields returns the written fields, and two lists never have the same bytes', () => {
  const random = seededRandom();
  console.log(`ticket fields: GUARD_TEST_SEED=${random.seed}`);
  const listByBytes = new Map<string, string>();
  for (let round = 0; round < 20_000; round += 1) {
    const fields = Array.from({ length: random.below(5) }, () =>
      Array.from({ length: random.below(4) }, () => random.pick(ALPHABET)).join(''),
    );
    const bytes = writeFields(fields);
    expect(readFields(bytes)).toEqual(fields);
    const [key, list] = [bytes.toString('hex'), JSON.stringify(fields)];
    expect(listByBytes.get(key) ?? list).toBe(list);
    listByBytes.set(key, list);
  }
  expect(listByBytes.size).toBeGreaterThan(5_000);
});

test('readFields refuses bytes that writeFields does not write', () => {
  const texts = '4|4:|4:abc|04:acme|+4:acme| 4:acme|4:acmex|:|-1:|99999:|x:';
  for (const text of texts.split('|')) {
    expect(readFields(Buffer.from(text)), text).toBeUndefined();
  }
});
