import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { waitUntil } from '../testing/raw-client.ts';
import { startTcpOrigin } from '../testing/recording-origin.ts';

const [REQUEST, ANSWER] = [
  'GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
];

async function handshake(port: number, protocol: string): Promise<TLSSocket> {
  const ALPNProtocols = [protocol];
  const socket = connect({ port, host: '127.0.0.1', ALPNProtocols, rejectUnauthorized: false });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

test('close() waits only for visitors with a request under way', async () => {
  const origin = await startTcpOrigin(() => undefined);
  const { gateway, tlsPort } = await startGateway({
    origin: origin.address,
    certificates,
    // If close() waited for any other connection, the test would reach its time limit.
    limits: { drainMs: 60_000, helloMs: 60_000, handshakeMs: 60_000, headersTimeoutMs: 60_000 },
  });
  const requestClient = await handshake(tlsPort, 'http/1.1');
  let received = '';
  requestClient.setEncoding('latin1').on('data', (text: string) => (received += text));
  requestClient.write(REQUEST);
  await waitUntil(() => origin.bytes[0]?.includes('GET /') === true);

  const silent = connectTcp(tlsPort, '127.0.0.1');
  await once(silent, 'connect');
  const openConnections = [await handshake(tlsPort, 'http/1.1'), await handshake(tlsPort, 'h2')];
  // This client leaves at once. It can leave before the gateway sees the end of the handshake.
  (await handshake(tlsPort, 'http/1.1')).destroy();
  const gatewayClosed = gateway.close();
  const idle = [silent, ...openConnections];
  for (const socket of idle) socket.on('error', () => undefined).resume();
  await waitUntil(() => idle.every((socket) => socket.closed));
  expect(requestClient.closed).toBe(false);
  origin.sockets[0]?.write(ANSWER);
  await gatewayClosed;
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok$/);
});
