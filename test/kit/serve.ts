import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Starts a server on loopback, and resolves to its URL. It ends with the test; with `afterAll` as `onEnd` it ends
 * with the test file.
 */
export async function serve(
  handle: RequestListener,
  onEnd: (end: () => void) => void = onTestFinished,
): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  // A busy machine can take longer than the usual 5 s between two requests on one connection.
  server.keepAliveTimeout = 60_000;
  await once(server, 'listening');
  onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return `http://127.0.0.1:${port}`;
}
