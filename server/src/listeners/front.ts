import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createService, type ServiceSettings, type ServiceTimes } from './listen.ts';

/** The listening side of a service: its server and connections last, its routes can change hands. */
export interface Front {
  /** Listens and closes; has no routes of its own. */
  readonly app: FastifyInstance;
  /** From the next request on, these routes answer. One that has begun ends where it began. */
  serve(routes: FastifyInstance): void;
}

/** How often connections that fell idle are closed while a service ends. */
const DRAIN_CHECK_MS = 50;

/** A front that hands every request to `routes`, which is ready and never listens itself. */
export function createFront(
  settings: ServiceSettings,
  routes: FastifyInstance,
  times?: ServiceTimes,
): Front {
  const app = createService(settings, times);
  let current = routes.server;
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    if (app.server.listening) closeAsTheyFallIdle(app.server);
    done();
  });

  const hand = (request: IncomingMessage, response: ServerResponse): void => {
    if (closing) response.shouldKeepAlive = false;
    current.emit('request', request, response);
  };
  app.server.removeAllListeners('request').on('request', hand);
  // For `localhost` fastify opens a second server, whose requests come by its own router.
  app.addHook('onRequest', (request, reply) => {
    reply.hijack();
    hand(request.raw, reply.raw);
    return Promise.resolve();
  });
  return {
    app,
    serve(next) {
      current = next.server;
    },
  };
}

/** A request under way leaves its connection open behind it, and a server waits for that to run out. */
function closeAsTheyFallIdle(server: Server): void {
  const timer = setInterval(() => {
    server.closeIdleConnections();
  }, DRAIN_CHECK_MS);
  server.once('close', () => {
    clearInterval(timer);
  });
}
