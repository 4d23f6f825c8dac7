import { expect, test } from 'vitest';
import { findCircularOrigins } from './circular-origins.ts';

const circularPaths = (gateway: string, origin: unknown) =>
  findCircularOrigins({ listen: { gateway }, sites: [{ origin }] }).map(({ path }) => path);

test.each([
  ['0.0.0.0:8080', 'http://127.0.0.1:8080'],
  ['0.0.0.0:8080', 'http://127.0.0.2:8080'],
  ['0.0.0.0:8080', 'http://localhost:8080'],
  ['0.0.0.0:80', 'http://0.0.0.0'],
  ['0.0.0.0:443', 'https://localhost'],
  ['[::]:8080', 'http://[::1]:8080'],
  ['[::]:8080', 'http://127.0.0.1:8080'],
  ['[::1]:8080', 'http://localhost:8080'],
  ['[::1]:8080', 'http://[0:0:0:0:0:0:0:1]:8080'],
  ['localhost:8080', 'http://127.0.0.1:8080'],
  ['127.0.0.1:8080', 'http://0.0.0.0:8080'],
  ['10.0.0.5:8080', 'http://10.0.0.5:8080'],
  ['guard.internal:8080', 'http://Guard.internal:8080'],
  ['unix:/run/guard.sock', 'unix:/run/guard.sock'],
])(
  'a gateway at %s must not have the origin %s, because it is the gateway itself',
  (gateway, origin) => {
    expect(circularPaths(gateway, origin)).toEqual([['sites', 0, 'origin']]);
  },
);

test.each([
  ['0.0.0.0:8080', 'http://127.0.0.1:3000'],
  ['0.0.0.0:8080', 'http://10.0.0.5:8080'],
  ['0.0.0.0:8080', 'http://shop.internal:8080'],
  ['0.0.0.0:8080', 'http://[::1]:8080'],
  ['10.0.0.5:8080', 'http://127.0.0.1:8080'],
  ['127.0.0.1:8080', 'http://[::1]:8080'],
  ['127.0.0.1:8080', 'http://127.0.0.2:8080'],
  ['127.0.0.1:0', 'http://127.0.0.1'],
  ['unix:/run/guard.sock', 'unix:/run/shop.sock'],
])(
  'a gateway at %s may have the origin %s, because only loops that are certain are refused',
  (gateway, origin) => {
    expect(circularPaths(gateway, origin)).toEqual([]);
  },
);

test('each origin of a list is compared with each listener for visitors; other services of Guard can be origins', () => {
  const listen = {
    gateway: '127.0.0.1:8080',
    gateway_tls: '127.0.0.1:8443',
    forward_auth: '127.0.0.1:8079',
    dashboard: '127.0.0.1:8085',
  };
  const origin = [8443, 8085, 8079].map((port) => `http://localhost:${port}`);
  const contradictions = findCircularOrigins({ listen, sites: [{ origin }] });
  expect(
    contradictions.map(({ path, message }) => [path.at(-1), /listen\.\w+/.exec(message)?.[0]]),
  ).toEqual([
    [0, 'listen.gateway_tls'],
    [2, 'listen.forward_auth'],
  ]);
});
