import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createService, type ServiceSettings, type ServiceTimes } from './listen.ts';

/** A service whose routes can be replaced while its server and its connections stay. */
export interface ReloadableService {
  /** The server: it listens and closes, and has no routes of its own. */
  readonly app: FastifyInstance;
  /** From now on, these routes answer new requests. The old routes finish the requests that they have. */
  replaceRoutes(routes: FastifyInstance): void;
}

/** How often idle connections are closed while a service ends. */
const DRAIN_CHECK_MS = 50;

/** Makes a service that gives every request to `routes`. They must be ready, and never listen themselves. */
export function createReloadableService(
  settings: ServiceSettings,
  routes: FastifyInstance,
  times?: ServiceTimes,
): ReloadableService {
  const app = createService(settings, times);
  let current = routes.server;
  let closing = false;
  /** Connections without a request so far. Browsers open some ahead, and Node does not take them for idle. */
  const unused = new Set<Socket>();
  app.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.addHook('preClose', (done) => {
    closing = true;
    if (app.server.listening) closeIdleConnections(app.server, unused);
    done();
  });

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    unused.delete(request.socket);
    if (closing) response.shouldKeepAlive = false;
    current.emit('request', request, response);
  };
  app.server.removeAllListeners('request').on('request', answer);
  // For `localhost` fastify opens a second server. Its requests arrive here, by the router of `app`.
  app.addHook('onRequest', (request, reply) => {
    reply.hijack();
    answer(request.raw, reply.raw);
    return Promise.resolve();
  });
  return {
    app,
    replaceRoutes(next) {
      current = next.server;
    },
  };
}

/** Closes connections as they become idle. Otherwise the server waits until each one times out. */
function closeIdleConnections(server: Server, unused: ReadonlySet<Socket>): void {
  const timer = setInterval(() => {
    server.closeIdleConnections();
    for (const socket of unused) socket.destroy();
  }, DRAIN_CHECK_MS);
  server.once('close', () => {
    clearInterval(timer);
  });
}
