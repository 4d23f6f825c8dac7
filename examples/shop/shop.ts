import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attachEchoSocket } from './echo-socket.ts';
import { EventStream } from './event-stream.ts';
import { createRouter } from './routes.ts';

const MAX_REMEMBERED = 1000;

/** One request that the shop received. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Shop {
  /** The URL without a path, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The last 1,000 requests, including WebSocket upgrades, oldest first. The list grows while the shop runs. */
  readonly requests: readonly SeenRequest[];
  close(): Promise<void>;
}

/**
 * A small shop for demos behind the gateway: pages, a login form, a cart, JSON, a stream, a WebSocket and an upload. It
 * keeps all data in memory, and fetches and logs nothing.
 *
 * `port` 0, the default, means a free port. `eventEveryMs` is the interval of `/events`.
 */
export async function startShop(
  options: { port?: number; host?: string; eventEveryMs?: number } = {},
): Promise<Shop> {
  const { port = 0, host = '127.0.0.1', eventEveryMs = 1000 } = options;
  const requests: SeenRequest[] = [];
  const events = new EventStream(eventEveryMs);
  const route = createRouter(events);

  const server = createServer((request, response) => {
    // The listener is needed, because without it a reset connection would end the process.
    response.on('error', () => response.destroy());
    Promise.resolve(route(request, response)).catch(() => response.destroy());
  });
  for (const arrival of ['request', 'upgrade'] as const) {
    server.prependListener(arrival, ({ method = '', url = '', headers }: IncomingMessage) => {
      requests.push({ method, url, headers });
      if (requests.length > MAX_REMEMBERED) requests.shift();
    });
  }
  const sockets = attachEchoSocket(server);

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // The cast is safe, because the server listens on a port and not on a pipe.
  const { port: actual } = server.address() as AddressInfo;

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        events.close();
        sockets.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

if (import.meta.main) {
  const shop = await startShop({ port: Number(process.env['PORT'] ?? 3000) });
  console.log(`The shop is open at ${shop.url}`);
}
