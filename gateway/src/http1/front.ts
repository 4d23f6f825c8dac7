import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createNodeServer } from './node-server.ts';
import { PlainLane } from './plain-lane.ts';
import { acceptConnections, type ServerParts, takeConnections } from '../listen/accept.ts';
import { notePeer } from '../listen/connection.ts';
import { UnreadConnections } from './unread-connections.ts';

/** Serves HTTP/1.1 on the connections that it is given. */
export interface Http1Front {
  /** The server that listens. Its timeouts hold for the connections that node:http serves. */
  readonly server: Server;
  readonly serve: (socket: Socket) => void;
  /** Called at the shutdown: closes the idle connections of the plain lane. */
  readonly drain: () => void;
  /** Ends every connection of the plain lane that is left. */
  readonly cut: () => void;
}

/** The plain lane serves plain requests. node:http serves all others. */
export function createHttp1Front(parts: ServerParts): Http1Front {
  const server = createNodeServer(parts);
  const { serve, drain, cut } = new PlainLane(parts, takeConnections(server));
  const unreadConnections = new UnreadConnections(parts);
  const serveWatched = (socket: Socket): void => {
    unreadConnections.watch(socket);
    serve(socket);
  };
  return { server, serve: serveWatched, drain, cut };
}

/** The HTTP/1.1 front of a gateway listener without TLS. */
export function createCleartextFront(parts: ServerParts): Http1Front {
  const front = createHttp1Front(parts);
  acceptConnections(front.server, parts.accept, (socket, peer) => {
    notePeer(socket, peer);
    front.serve(socket);
  });
  return front;
}
