import { Listen } from '@guard/config/settings/values/values';
import { expect, test } from 'vitest';
import { compileOwnHosts } from '../listeners/own-hosts.ts';
import { adminRoutes } from './admin.ts';
import { createService } from '../listeners/listen.ts';
import { createMetrics } from '../metrics/metrics.ts';

/** Sends a GET with these header fields, and returns the status. */
async function ask(
  path: string,
  headers: Readonly<Record<string, string>>,
  { listen = '127.0.0.1:9090', hostNames = [] as readonly string[] } = {},
) {
  const answersTo = compileOwnHosts(Listen.parse(listen), hostNames);
  const app = createService({ trusted_proxies: ['127.0.0.1'] });
  const database = () => ({ state: 'failing', message: 'The analytics database waits.' }) as const;
  const metrics = createMetrics();
  await app.register(adminRoutes({ metrics, isReady: () => true, answersTo, database }));
  const { statusCode, body } = await app.inject({ url: path, headers });
  return { statusCode, body };
}

test('when the database does not start, /ready reports it and still answers 200', async () => {
  expect(await ask('/ready', { host: '127.0.0.1' })).toEqual({
    statusCode: 200,
    body: '{"ready":true,"database":{"state":"failing","message":"The analytics database waits."}}',
  });
});

test.each([
  ...[
    '127.0.0.1:9090',
    '127.0.0.1',
    '[::1]:9090',
    'localhost:9090',
    'LOCALHOST.',
    '10.244.0.7:9090',
  ],
  ...['guard:9090', 'metrics.shop.example', 'metrics.shop.example:9090', 'a.ops.example', ''],
])('Host: %s is answered', async (host) => {
  const hostNames = ['metrics.shop.example', '*.ops.example'];
  for (const path of ['/ready', '/metrics']) {
    expect((await ask(path, { host }, { listen: '0.0.0.0:9090', hostNames })).statusCode).toBe(200);
  }
});

test.each([
  ...[
    'rebound.evil.example',
    'rebound.evil.example:9090',
    'localhost.evil.example',
    'evil.example.',
  ],
  ...[
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
    '[::1].evil.example',
    'metrics.shop.example',
  ],
])('Host: %s gets 421, because a page that uses DNS rebinding can send it', async (host) => {
  for (const path of ['/ready', '/metrics']) {
    for (const listen of [
      '127.0.0.1:9090',
      '0.0.0.0:9090',
      '[::]:9090',
      'ops.internal.example:9090',
    ]) {
      const { statusCode, body } = await ask(
        path,
        { host, 'x-forwarded-host': 'localhost' },
        { listen },
      );
      expect([statusCode, body]).toEqual([421, expect.stringContaining('admin_hosts')]);
    }
  }
});

test('the host of listen.admin is accepted, and on a unix socket every host', async () => {
  const listen = 'ops.internal.example:9090';
  expect((await ask('/ready', { host: listen }, { listen })).statusCode).toBe(200);
  const socket = { listen: 'unix:/run/guard/admin.sock' };
  expect((await ask('/ready', { host: 'ops.shop.example' }, socket)).statusCode).toBe(200);
});
