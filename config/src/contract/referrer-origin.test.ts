import { expect, test } from 'vitest';
import { referrerOrigin } from './referrer-origin.ts';

test.each([
  ['https://Search.example/find?q=private', 'https://search.example'],
  ['http://search.example:8080', 'http://search.example:8080'],
  ['https://search.example?q=private', 'https://search.example'],
  ['https://name:password@search.example/', ''],
  ['android-app://com.example/', ''],
  ['about:blank', ''],
  ['/relative', ''],
  ['', ''],
])('from the Referer %j only %j is remembered', (referrer, origin) => {
  expect(referrerOrigin(referrer)).toBe(origin);
});

test('without a Referer there is no origin', () => {
  expect(referrerOrigin(undefined)).toBe('');
});
