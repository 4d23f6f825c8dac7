import { expect, test } from 'vitest';
import { sessionDigest } from './session-digest.ts';

test('different sessions have different digests, and the absent session has the empty digest', () => {
  const id = '0f0e0d0c-0b0a-4908-8706-050403020100';
  expect(sessionDigest(id)).toMatch(/^[0-9a-f]{32}$/);
  expect(sessionDigest(id)).toBe(sessionDigest(id));
  expect(sessionDigest(id)).not.toBe(sessionDigest(id.replace('0', '1')));
  expect(sessionDigest('')).toBe('');
});

test('all values of one session have one digest', () => {
  const values = ['8706-050403020100', 'b123-ffffffffffff'].map(
    (end) => `0f0e0d0c-0b0a-4908-${end}`,
  );
  expect(new Set(values.map(sessionDigest)).size).toBe(1);
});
