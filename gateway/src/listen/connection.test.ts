import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { get } from '../testing/raw-client.ts';

/** Sends a request and resets the connection at once. The server can still read the request. */
function sendAndReset(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      const lines = ['GET /reset HTTP/1.1', 'Host: shop.example', 'X-Forwarded-For: 198.51.100.7'];
      socket.write([...lines, '', ''].join('\r\n'), () => socket.resetAndDestroy());
    });
    socket.on('error', () => undefined).on('close', () => resolve());
  });
}

test('a peer that resets the connection after its request is not trusted', async () => {
  const rig = await startGatewayWithOrigin();
  for (let attempt = 0; attempt < 50; attempt++) await sendAndReset(rig.port);
  // The listener accepts connections in order. So it has accepted all of them when this request is answered.
  await get(rig.port, '/last');
  expect(rig.questions.at(-1)?.url).toBe('http://shop.example/last');
  expect(rig.questions.filter(({ ip }) => ip !== '127.0.0.1')).toEqual([]);
});

/** Sends one request on a connection that stays open. True when it was closed without an answer. */
async function isClosed(port: number, localAddress?: string): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  openSockets.push(socket);
  return new Promise((resolve) => {
    socket.on('error', () => resolve(true)).on('close', () => resolve(true));
    socket.on('data', () => resolve(false));
    socket.write('GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n');
  });
}

const openSockets: Socket[] = [];
afterEach(() => {
  for (const socket of openSockets.splice(0)) socket.destroy();
});

test('one address can have only a part of all connections', async () => {
  const limits = { maxConnectionsPerAddress: 3 };
  const rig = await startGatewayWithOrigin({ limits });
  const closedFlags = [];
  for (let count = 0; count < 4; count += 1) closedFlags.push(await isClosed(rig.port));
  expect(closedFlags).toEqual([false, false, false, true]);
  expect(rig.counterValue('guard_gateway_connections_refused_total', 'address_full')).toBe(1);
  openSockets.pop()?.destroy();
  openSockets.shift()?.destroy();
  await expect.poll(() => isClosed(rig.port)).toBe(false);
});

test('addresses that use all their connections leave some for other addresses', async () => {
  const limits = { maxConnectionsPerAddress: 2, maxUntrustedConnections: 8 };
  const { port } = await startGatewayWithOrigin({ limits });
  const closedFlags = [];
  for (const lastByte of [2, 2, 3, 3, 4, 4, 5, 5, 6])
    closedFlags.push(await isClosed(port, `127.0.0.${lastByte}`));
  expect(closedFlags).toEqual([false, false, false, false, false, false, false, true, false]);
});

test('a trusted proxy has no limit of connections', async () => {
  const limits = { maxConnectionsPerAddress: 1 };
  const rig = await startGatewayWithOrigin({ limits, trustedProxies: ['127.0.0.1'] });
  expect(await Promise.all([isClosed(rig.port), isClosed(rig.port)])).toEqual([false, false]);
});
