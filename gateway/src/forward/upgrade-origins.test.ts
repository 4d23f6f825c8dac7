import { freePort } from '../../../test/kit/free-port.ts';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freshPath } from '../testing/fresh-path.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import {
  bodyOf,
  waitUntil,
  headersOf,
  RawClient,
  rawExchange,
  statusOf,
  HANDSHAKE,
  SWITCHED_HEAD,
} from '../testing/raw-client.ts';
import { refusingAddress, startTcpOrigin, type TcpOrigin } from '../testing/recording-origin.ts';

/** An origin that accepts every handshake. */
function startSwitching(): Promise<TcpOrigin> {
  return startTcpOrigin((socket) => socket.write(SWITCHED_HEAD));
}

/** Sends one handshake, closes its tunnel, and returns the status. */
async function sendHandshake(port: number): Promise<number> {
  const client = new RawClient(port);
  client.send(...HANDSHAKE);
  const answer = await client.until(/\r\n\r\n/);
  client.socket.destroy();
  return statusOf(answer);
}

test('a handshake reaches the other origin when one refuses', async () => {
  const time = { now: Date.now() };
  const alive = await startSwitching();
  const origin = [refusingAddress(), alive.address];
  const rig = await startGateway({ origin, clock: () => time.now });
  for (let pauses = 0; pauses < 3; pauses++) {
    for (let i = 0; i < 3; i++) expect(await sendHandshake(rig.port)).toBe(101);
    time.now += 1_000;
  }
  expect(alive.sockets).toHaveLength(9);
  expect(rig.counterValue('guard_gateway_requests_total', 'forwarded')).toBe(9);
  expect(rig.counterValue('guard_gateway_origin_errors_total', 'connect')).toBe(0);
});

test('an origin that refused a handshake is left out for a second, then one handshake tries that origin', async () => {
  const time = { now: Date.now() };
  const alive = await startSwitching();
  const unreachableUrl = `http://127.0.0.1:${await freePort()}`;
  const rig = await startGateway({
    origin: [alive.address, unreachableUrl],
    clock: () => time.now,
  });
  for (let i = 0; i < 2; i++) expect(await sendHandshake(rig.port)).toBe(101);

  let connectionCount = 0;
  const reopenedOrigin = createServer((socket) => {
    connectionCount++;
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(SWITCHED_HEAD));
  });
  await new Promise<void>((resolve) => {
    reopenedOrigin.listen(Number(new URL(unreachableUrl).port), '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    reopenedOrigin.close();
  });
  for (let i = 0; i < 4; i++) expect(await sendHandshake(rig.port)).toBe(101);
  expect(connectionCount).toBe(0);
  time.now += 1_000;
  for (let i = 0; i < 4; i++) expect(await sendHandshake(rig.port)).toBe(101);
  expect(connectionCount).toBe(2);
});

test('RFC 9110 15.6.3: 502 when every origin refuses', async () => {
  const rig = await startGateway({ origin: [refusingAddress(), refusingAddress()] });
  const answer = await rawExchange(rig.port, ...HANDSHAKE);
  expect(statusOf(answer)).toBe(502);
  expect(headersOf(answer, 'cache-control')).toEqual(['no-store']);
  expect(bodyOf(answer)).toBe('The site cannot be reached.\n');
  expect(rig.counterValue('guard_gateway_origin_errors_total', 'connect')).toBe(1);
  expect(rig.counterValue('guard_gateway_requests_total', 'failed')).toBe(1);
});

test.each([
  { what: 'closes', said: '', status: 502, reason: 'reset' },
  { what: 'closes in its header section', said: 'HTTP/1.1 101 S', status: 502, reason: 'reset' },
  {
    what: 'sends bytes that are not HTTP',
    said: 'SSH-2.0-x\r\n\r\n',
    status: 502,
    reason: 'malformed',
  },
])(
  'RFC 9110 15.6: when an origin accepts the handshake and $what, no origin is asked again',
  async ({ said, status, reason }) => {
    const [odd, other] = [
      await startTcpOrigin((socket) => socket.end(said)),
      await startSwitching(),
    ];
    const rig = await startGateway({ origin: [other.address, odd.address] });
    expect(statusOf(await rawExchange(rig.port, ...HANDSHAKE))).toBe(status);
    expect(rig.counterValue('guard_gateway_origin_errors_total', reason)).toBe(1);
    expect([odd.sockets.length, other.sockets.length]).toEqual([1, 0]);
  },
);

test('a handshake gets the time that the site sets for its origin', async () => {
  const silent = await startTcpOrigin(() => undefined);
  const limits = { originHeadersMs: 60_000 };
  const rig = await startGateway({ origin: silent.address, limits, originTimeout: '1s' });
  expect(statusOf(await rawExchange(rig.port, ...HANDSHAKE))).toBe(504);
});

test('RFC 9110 15.6.5: an origin that does not answer the handshake → 504', async () => {
  const silent = await startTcpOrigin(() => undefined);
  const rig = await startGateway({ origin: silent.address, limits: { originHeadersMs: 50 } });
  expect(statusOf(await rawExchange(rig.port, ...HANDSHAKE))).toBe(504);
  expect(rig.counterValue('guard_gateway_origin_errors_total', 'timeout')).toBe(1);
  await waitUntil(() => silent.sockets[0]?.closed === true);
});

test.each(['ends', 'is reset'] as const)(
  'when the connection %s before the answer, 499 is logged and the origin request is cancelled',
  async (way) => {
    const silent = await startTcpOrigin(() => undefined);
    const rig = await startGateway({ origin: silent.address });
    const client = new RawClient(rig.port);
    client.send(...HANDSHAKE);
    await waitUntil(() => silent.bytes[0]?.includes('/chat') === true);
    if (way === 'ends') client.socket.end();
    else client.socket.resetAndDestroy();
    await waitUntil(() => silent.sockets[0]?.closed === true);
    expect(rig.logEntries).toContainEqual({
      event: 'gateway_visitor_gone',
      fields: { site: 'shop.example', status: 499 },
    });
    expect(rig.counterValue('guard_gateway_requests_total', 'aborted')).toBe(1);
    expect(rig.logEntries.map(({ event }) => event)).not.toContain('gateway_origin_failed');
  },
);

test.each([
  ['more tunnels than may be open', { maxUpgrades: 1 }],
  ['more tunnels than one address may have', { maxUpgradesPerAddress: 1 }],
])('RFC 9110 15.6.4: %s → 503 with Retry-After, until one ends', async (_, limits) => {
  const origin = await startSwitching();
  const rig = await startGateway({ origin: origin.address, limits });
  const firstClient = new RawClient(rig.port);
  firstClient.send(...HANDSHAKE);
  await firstClient.until(/ 101 /);
  const answer = await rawExchange(rig.port, ...HANDSHAKE);
  expect(statusOf(answer)).toBe(503);
  expect(headersOf(answer, 'retry-after')).toEqual(['1']);
  expect(rig.counterValue('guard_gateway_requests_total', 'refused')).toBe(1);
  firstClient.socket.destroy();
  await vi.waitFor(async () => {
    expect(await sendHandshake(rig.port)).toBe(101);
  }, 45_000);
});

test('the tunnel limit of one address does not affect others; a /56 may have twice as many tunnels, and a /48 four times as many', async () => {
  const origin = await startSwitching();
  const limits = { maxUpgradesPerAddress: 1 };
  const rig = await startGateway({
    origin: origin.address,
    limits,
    trustedProxies: ['127.0.0.1/32'],
  });
  for (const [ip, status] of [
    ['198.51.100.7', 101],
    ['198.51.100.8', 101],
    ['2a02:1748:1:1::7', 101],
    ['2a02:1748:1:1::8', 503],
    ['2a02:1748:1:2::7', 101],
    ['2a02:1748:1:3::7', 503],
    ['2a02:1748:1:100::7', 101],
    ['2a02:1748:1:200::7', 101],
    ['2a02:1748:1:300::7', 503],
    ['2a02:1748:2::7', 101],
  ] as const) {
    const client = new RawClient(rig.port);
    client.send(...HANDSHAKE.toSpliced(2, 0, `X-Forwarded-For: ${ip}`));
    expect([ip, statusOf(await client.until(/\r\n\r\n/))]).toEqual([ip, status]);
  }
});

test('addresses that use all their tunnels leave some for other addresses', async () => {
  const origin = await startSwitching();
  const limits = { maxUpgrades: 8, maxUpgradesPerAddress: 2 };
  const trustedProxies = ['127.0.0.1/32'];
  const rig = await startGateway({ origin: origin.address, limits, trustedProxies });
  const openTunnelOf = async (ip: string) => {
    const client = new RawClient(rig.port);
    client.send(...HANDSHAKE.toSpliced(2, 0, `X-Forwarded-For: ${ip}`));
    return statusOf(await client.until(/\r\n\r\n/));
  };
  const statuses = [];
  for (const lastByte of [1, 1, 2, 2, 3, 3, 4, 4, 5])
    statuses.push(await openTunnelOf(`192.0.2.${lastByte}`));
  expect(statuses).toEqual([101, 101, 101, 101, 101, 101, 101, 503, 101]);
});

test.each([
  ['a unix socket', () => ({ path: freshPath('origin.sock') })],
  ['[::1]', () => ({ host: '::1', port: 0 })],
])('a handshake reaches an origin at %s', async (_where, host) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.write(SWITCHED_HEAD));
  });
  await new Promise<void>((resolve) => server.listen(host(), resolve));
  onTestFinished(() => {
    server.close();
  });
  const boundAddress = server.address() as AddressInfo | string; // The server listens, so its address is not null.
  const origin =
    typeof boundAddress === 'string' ? `unix:${boundAddress}` : `http://[::1]:${boundAddress.port}`;
  expect(await sendHandshake((await startGateway({ origin })).port)).toBe(101);
});
