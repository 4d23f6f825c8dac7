import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { boundConnections } from './bound-connections.ts';

/** Opens a connection from a loopback address and sends a request. True when it is closed without an answer. */
async function isClosed(port: number, localAddress: string): Promise<boolean> {
  const socket: Socket = connect({ port, host: '127.0.0.1', localAddress });
  onTestFinished(() => void socket.destroy());
  return new Promise((resolve) => {
    socket.on('error', () => resolve(true)).on('close', () => resolve(true));
    socket.on('data', () => resolve(false));
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  });
}

test('one address cannot take all connections of a service, and a trusted proxy has no limit of its own', async () => {
  const server = createServer((_request, response) => response.end('hello'));
  boundConnections(server, ['127.0.0.9'], { all: 8, ofAddress: 2 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // A TCP listener has an address.
  const closedFlags: boolean[] = [];
  for (const lastByte of [2, 2, 2, 3, 9, 9, 9])
    closedFlags.push(await isClosed(port, `127.0.0.${lastByte}`));
  expect(closedFlags).toEqual([false, false, true, false, false, false, false]);
});
