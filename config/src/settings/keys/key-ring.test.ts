import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createBearerAuth, KeyRing } from './key-ring.ts';

const hash = (key: string): Buffer => createHash('sha256').update(key).digest();
const now = Date.UTC(2026, 10, 21);

const authenticate = createBearerAuth(
  [
    { id: 'acme', analytics_keys: [{ id: 'a', key: hash('sk_api_ro_acme') }] },
    {
      id: 'other',
      analytics_keys: [
        { id: 'old', key: hash('sk_api_ro_old'), expires: now },
        { id: 'new', key: hash('sk_api_ro_new'), expires: now + 1 },
      ],
    },
  ],
  () => now,
);

test('a bearer key identifies its organisation and its entry, with the scheme in upper or lower case (RFC 9110 11.1)', () => {
  expect(authenticate('Bearer sk_api_ro_acme')).toEqual({ organisation: 'acme', key: 'a' });
  expect(authenticate('bearer  sk_api_ro_acme')).toEqual({ organisation: 'acme', key: 'a' });
  expect(authenticate('Bearer sk_api_ro_new')).toEqual({ organisation: 'other', key: 'new' });
});

test.each([
  undefined,
  '',
  'sk_api_ro_acme',
  'Basic sk_api_ro_acme',
  'Bearer',
  'Bearer sk_api_ro_acme x',
  'Bearer sk_api_ro_ACME',
  'Bearer sk_api_ro_unknown',
  'Bearer sk_api_ro_old',
  `Bearer ${'x'.repeat(300)}`,
])(
  'contract 5: %s identifies no organisation, because the key is absent, malformed, unknown or expired',
  (header) => {
    expect(authenticate(header)).toBeUndefined();
  },
);

test('a key ring finds the entry of a key until the moment it expires', () => {
  const ring = new KeyRing([{ key: hash('k'), expires: 1000, name: 'entry' }]);
  expect(ring.find('k', 999)?.name).toBe('entry');
  expect(ring.find('k', 1000)).toBeUndefined();
  expect(ring.find('K', 0)).toBeUndefined();
});
