import { expect, test } from 'vitest';
import { startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { exchange, openHttp2 } from '../testing/http2-client.ts';
import { selfSigned } from '../testing/self-signed.ts';

/** Each request differs from the one before it. */
const REQUESTS = [
  { ':path': '/a', cookie: 'one' },
  { ':path': '/b', cookie: 'one' },
  { ':path': '/b', cookie: 'two' },
  { ':path': '/b', cookie: 'two', ':method': 'DELETE' },
  { ':path': '/b', cookie: 'two', ':authority': 'www.shop.example' },
  { ':path': '/b', 'x-cookie': 'two', ':authority': 'www.shop.example' },
  { ':path': '/c', 'x-cookie': 'two', ':authority': 'www.shop.example' },
  { ':path': '/c', 'x-cookie': 'two', ':authority': 'www.shop.example', 'x-more': 'yes' },
  { ':path': '/d', 'x-cookie': 'two', ':authority': 'www.shop.example' },
] as const;

test('requests of one connection keep their own path, method, host and fields', async () => {
  const { origin, ...rig } = await startGatewayWithOrigin({
    certificates: [selfSigned('shop.example')],
    hosts: ['shop.example', 'www.shop.example'],
  });
  const session = openHttp2(rig.tlsPort);
  for (const fields of REQUESTS) await exchange(session, fields);
  await exchange(session, { ':path': '/e', 'x-more': 'long'.repeat(2000) });
  await exchange(session, { ':path': '/f', 'x-more': 'long'.repeat(2000) });
  await exchange(session, { ':path': '/g', ':method': 'POST' }, Buffer.from('body'));
  await exchange(session, { ':path': '/h', ':method': 'POST' });

  const arrivedRequests = origin.requests.map(({ method, url, headers, body }) => ({
    ...{ ':path': url, ':method': method, ':authority': headers.host, body },
    ...{ cookie: headers.cookie, 'x-cookie': headers['x-cookie'] },
    'x-more': String(headers['x-more'] ?? '').slice(0, 4),
  }));
  const plain = { ':method': 'GET', ':authority': 'shop.example', body: '', 'x-more': '' };
  const unset = { cookie: undefined, 'x-cookie': undefined };
  expect(arrivedRequests).toEqual([
    ...REQUESTS.map((fields) => ({ ...plain, ...unset, ...fields })),
    { ...plain, ...unset, ':path': '/e', 'x-more': 'long' },
    { ...plain, ...unset, ':path': '/f', 'x-more': 'long' },
    { ...plain, ...unset, ':path': '/g', ':method': 'POST', body: 'body' },
    { ...plain, ...unset, ':path': '/h', ':method': 'POST' },
  ]);
  expect(rig.questions.map(({ url }) => new URL(url).pathname)).toEqual(
    arrivedRequests.map((fields) => fields[':path']),
  );
});
