import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Starts a server on loopback, and resolves with its URL. The server ends with the test. With `afterAll` as `onEnd` it
 * ends with the test file.
 */
export async function serve(
  handle: RequestListener,
  onEnd: (end: () => void) => void = onTestFinished,
): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  // On a busy machine, the time between two requests on one connection can be longer than the usual limit of 5 s.
  server.keepAliveTimeout = 60_000;
  await once(server, 'listening');
  onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  return `http://127.0.0.1:${port}`;
}
