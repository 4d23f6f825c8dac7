import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attachEchoSocket } from './echo-socket.ts';
import { EventStream } from './event-stream.ts';
import { createRouter } from './routes.ts';

const MAX_REMEMBERED = 1000;

/** One request as it arrived at the shop. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Shop {
  /** `http://127.0.0.1:3000`, without a path. */
  readonly url: string;
  /** The last 1,000 requests, WebSocket upgrades among them, oldest first; grows while the shop runs. */
  readonly requests: readonly SeenRequest[];
  close(): Promise<void>;
}

/**
 * A small shop to stand behind the gateway: pages, a login form, a cart, JSON, a stream, a WebSocket
 * and an upload. Keeps everything in memory, fetches nothing, logs nothing.
 *
 * `port` 0, the default, takes a free one. `eventEveryMs` is the pace of `/events`.
 */
export async function startShop(
  options: { port?: number; host?: string; eventEveryMs?: number } = {},
): Promise<Shop> {
  const { port = 0, host = '127.0.0.1', eventEveryMs = 1000 } = options;
  const requests: SeenRequest[] = [];
  const events = new EventStream(eventEveryMs);
  const route = createRouter(events);

  const server = createServer((request, response) => {
    // Without a listener a reset connection would end the process.
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
  // Always an AddressInfo: the server listens on a port, not on a pipe.
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
