import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayLimits } from '../limits.ts';
import type { Handle } from '../handle.ts';
import { PlainLane } from '../http1/plain-lane.ts';
import type { Onward } from '../visit.ts';
import { isWebSocketHandshake, type Upgrades } from '../forward/upgrade.ts';
import { answerBrokenRequests } from './broken-request.ts';
import { type Door, openDoor } from './door.ts';
import { NodeResponse } from './node-response.ts';
import { notePeer } from './peer.ts';

/** Where requests go that a server has taken. */
export interface Intake {
  readonly handle: Handle;
  readonly forward: Onward;
  readonly upgrades: Upgrades;
  readonly limits: GatewayLimits;
  readonly door: Door;
  /** While true, answers ask visitors to open another connection next time. */
  readonly isClosing: () => boolean;
}

/** What speaks HTTP/1.1 with the connections that it is given. */
export interface Http1Front {
  /** What listens. Its own timeouts hold for what node:http serves. */
  readonly server: Server;
  readonly serve: (socket: Socket) => void;
  /** While it closes: ends what is idle of the plain lane. */
  readonly drain: () => void;
  /** Ends every connection that is left there. */
  readonly cut: () => void;
}

/** Plain requests by the plain lane, all others by node:http. */
export function createHttp1Front(intake: Intake): Http1Front {
  const server = createGatewayServer(intake);
  const lane = new PlainLane(intake, takeConnections(server));
  return {
    server,
    serve: (socket) => {
      lane.serve(socket);
    },
    drain: () => {
      lane.drain();
    },
    cut: () => {
      lane.cut();
    },
  };
}

/** The plain http side of a gateway. */
export function createPlainFront(intake: Intake): Http1Front {
  const front = createHttp1Front(intake);
  openDoor(front.server, intake.door, (socket, peer) => {
    notePeer(socket, peer);
    front.serve(socket);
  });
  return front;
}

/** Puts a door before a server: it serves what comes through, and knows whom it serves. */
export function behindDoor(server: Server, door: Door): Server {
  const serve = takeConnections(server);
  openDoor(server, door, (socket, peer) => {
    notePeer(socket, peer);
    serve(socket);
  });
  return server;
}

/** Takes the connections of a server away from it, and returns how it serves one that it is handed. */
function takeConnections(server: Server): (socket: Socket) => void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  return (socket) => {
    for (const take of listeners) Reflect.apply(take, server, [socket]);
  };
}

/** The node:http server of the gateway: its settings, and which event takes which way. */
function createGatewayServer(intake: Intake): Server {
  const { handle, forward, upgrades, limits } = intake;
  const server = createServer({
    ServerResponse: NodeResponse,
    headersTimeout: limits.headersTimeoutMs,
    // Uploads may be as long as they like while they move: RequestBody keeps their time.
    requestTimeout: 0,
    connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    insecureHTTPParser: false,
    // framing.ts refuses it, and what stands behind it as well.
    requireHostHeader: false,
    // A second Host must show in the value instead of vanishing: framing.ts.
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: isWebSocketHandshake,
  });
  // Node would drop what is above the count without a word; framing.ts answers 431.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.idleTimeoutMs;

  answerBrokenRequests(server, intake.door);
  const take = (req: IncomingMessage, res: NodeResponse) => {
    // Node's parser stops behind an Upgrade, also where it was not taken up.
    const isDeaf = req.headers.upgrade !== undefined;
    if (isDeaf || intake.isClosing()) res.shouldKeepAlive = false;
    handle(req, res, forward);
  };
  server.on('request', take);
  // Without a listener Node would invite every upload, wanted or not.
  server.on('checkContinue', take);
  server.on('upgrade', (req, _socket, head) => {
    upgrades.handle(req, head);
  });
  server.on('connect', ({ socket }) => {
    socket.on('error', () => socket.destroy());
    socket.write(
      'HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    );
    // Node keeps no time for this socket any more, so it does not wait for the visitor to close.
    socket.destroySoon();
  });
  return server;
}
