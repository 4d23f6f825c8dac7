import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createNodeServer } from './node-server.ts';
import { PlainLane } from './plain-lane.ts';
import { acceptConnections, type Intake, takeConnections } from '../listen/accept.ts';
import { notePeer } from '../listen/connection.ts';

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
  const server = createNodeServer(intake);
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
  acceptConnections(front.server, intake.accept, (socket, peer) => {
    notePeer(socket, peer);
    front.serve(socket);
  });
  return front;
}
