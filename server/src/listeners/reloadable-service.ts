import { handleInTurn, NodeResponse } from '@guard/gateway';
import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { boundConnections } from './bound-connections.ts';
import { createService, type ServiceSettings, type ServiceTimes } from './listen.ts';

/** A service whose routes can be replaced. Its server and its connections stay open. */
export interface ReloadableService {
  readonly app: FastifyInstance;
  /** Uses these routes for new requests. The old routes finish the requests that they have begun. */
  replaceRoutes(routes: FastifyInstance): void;
  /** Closes all connections when the service closes. A slow client could otherwise keep the server open for ever. */
  cutOff(): void;
}

/** Time between two checks for idle connections while a service ends. */
const DRAIN_CHECK_MS = 50;

/**
 * Creates a service that passes every request to `routes`. The routes must be ready, and must not listen themselves.
 */
export function createReloadableService(
  settings: ServiceSettings,
  routes: FastifyInstance,
  times?: ServiceTimes,
): ReloadableService {
  const app = createService(settings, times);
  boundConnections(app.server, settings.trusted_proxies);
  let currentServer = routes.server;
  let isClosing = false;
  const connections: Connections = {
    openSockets: new Set(),
    unusedSockets: new Set(),
    isCutOff: false,
  };
  const { openSockets, unusedSockets } = connections;
  app.server.on('connection', (socket) => {
    unusedSockets.add(socket);
    watch(socket);
  });
  app.addHook('preClose', (callback) => {
    isClosing = true;
    if (app.server.listening) closeConnections(app.server, connections);
    callback();
  });

  function watch(socket: Socket): void {
    if (openSockets.has(socket)) return;
    openSockets.add(socket);
    socket.once('close', () => {
      openSockets.delete(socket);
      unusedSockets.delete(socket);
    });
  }

  const passOn = (request: IncomingMessage, response: ServerResponse): void => {
    watch(request.socket);
    unusedSockets.delete(request.socket);
    if (isClosing) response.shouldKeepAlive = false;
    const handle = () => currentServer.emit('request', request, response);
    // createService sets this class for every answer.
    if (isNodeResponse(response)) handleInTurn(request, response, handle);
    else handle();
  };
  app.server.removeAllListeners('request').on('request', passOn);
  // For `localhost` fastify opens a second server, whose requests arrive here through the router of `app`.
  app.addHook('onRequest', (request, reply) => {
    reply.hijack();
    passOn(request.raw, reply.raw);
    return Promise.resolve();
  });
  return {
    app,
    replaceRoutes(next) {
      currentServer = next.server;
    },
    cutOff() {
      connections.isCutOff = true;
    },
  };
}

function isNodeResponse(response: ServerResponse): response is NodeResponse {
  return response instanceof NodeResponse;
}

interface Connections {
  /**
   * The connections of both servers for `localhost`. A connection of the second server is added at its first request.
   */
  readonly openSockets: Set<Socket>;
  /**
   * Connections that have had no request. Browsers open some connections in advance, and Node does not treat these as
   * idle.
   */
  readonly unusedSockets: Set<Socket>;
  isCutOff: boolean;
}

/** Closes each connection when it becomes idle. Otherwise the server would wait until all connections time out. */
function closeConnections(server: Server, connections: Connections): void {
  const timer = setInterval(() => {
    server.closeIdleConnections();
    const { openSockets, unusedSockets, isCutOff } = connections;
    for (const socket of isCutOff ? openSockets : unusedSockets) socket.destroy();
  }, DRAIN_CHECK_MS);
  server.once('close', () => {
    clearInterval(timer);
  });
}
