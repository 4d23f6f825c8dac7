import { expect, test } from 'vitest';
import { isLoopbackHost } from './loopback.ts';

test.each(['127.0.0.1', '127.8.9.1', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost'])(
  'RFC 1122, RFC 4291: %s is this machine',
  (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  },
);

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '128.0.0.1',
  '::ffff:10.0.0.1',
  'guard',
  'localhost.example',
])('%s is reached by others', (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});
