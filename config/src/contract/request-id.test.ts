import { expect, test } from 'vitest';
import { mintRequestId } from './request-id.ts';

test('a request id is a UUIDv7 that carries its time (RFC 9562)', () => {
  const now = 1_795_000_000_123;
  const ids = Array.from({ length: 2_000 }, () => mintRequestId(now));
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(now);
  }
  expect(new Set(ids).size).toBe(ids.length);
});
