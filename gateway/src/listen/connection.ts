import type { TransportFacts } from '@guard/config/contract/transport';
import type { VisitorSocket } from '../message/message.ts';
import { transportOf } from './transport-of.ts';
import { addressOf, peerOf, type Trusts } from './peer.ts';

/** A request under way on a visitor's connection. It ends when the connection ends. */
export interface Underway {
  /** The visitor has gone. */
  abandon(): void;
}

/**
 * What is known of one TCP or unix connection; worked out once, however many requests it carries. Over
 * HTTP/2 it is that of one stream: what is under way there ends with the stream.
 */
export interface Connection {
  /** Canonical address of the peer, or of whom a trusted balancer connects for: peer.ts. */
  readonly peerIp: string;
  /** The peer's forwarded headers are believed: it lies in `trusted_proxies`, or came by a unix socket. */
  readonly trusted: boolean;
  /** What the handshake showed; undefined where the connection to this gateway is not TLS. */
  readonly transport: TransportFacts | undefined;
  /**
   * Requests at the origin. Kept by connection, since Node tells a pipelined request that waits for
   * its turn nothing when the connection closes.
   */
  readonly underway: Set<Underway>;
}

export type ConnectionOf = (socket: VisitorSocket) => Connection;

/** What is under way on a connection, whichever settings it began under. */
export type UnderwayOf = (socket: VisitorSocket) => Set<Underway>;

/** Keeps the requests of each connection together, and abandons them when it closes. */
export function trackUnderway(): UnderwayOf {
  const known = new WeakMap<VisitorSocket, Set<Underway>>();

  return (socket) => {
    const existing = known.get(socket);
    if (existing !== undefined) return existing;

    const underway = new Set<Underway>();
    known.set(socket, underway);
    socket.once('close', () => {
      for (const request of underway) request.abandon();
      underway.clear();
    });
    return underway;
  };
}

/** Looks up the record of a connection, making it at the first request. */
export function createConnections(trusts: Trusts, underwayOf: UnderwayOf): ConnectionOf {
  const known = new WeakMap<VisitorSocket, Connection>();

  return (socket) => {
    const existing = known.get(socket);
    if (existing !== undefined) return existing;

    const peer = peerOf(socket);
    const connection: Connection = {
      peerIp: addressOf(peer),
      trusted: trusts(peer),
      transport: transportOf(socket),
      underway: underwayOf(socket),
    };
    known.set(socket, connection);
    return connection;
  };
}
