import type { TransportFacts } from '@guard/config/contract/transport';
import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';
import type { VisitorSocket } from '../message.ts';
import { transportOf } from '../tls/transport-of.ts';

/** Something under way on a visitor's connection that ends when the connection does. */
export interface Underway {
  /** The visitor has gone. */
  abandon(): void;
}

/**
 * What is known of one TCP or unix connection; worked out once, however many requests it carries. Over
 * HTTP/2 it is that of one stream: what is under way there ends with the stream.
 */
export interface Connection {
  /** Canonical address of the peer. A unix socket has none and counts as loopback. */
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
export function createConnections(
  trustedProxies: readonly string[],
  underwayOf: UnderwayOf,
): ConnectionOf {
  const trusted = PrefixSet.from(trustedProxies);
  const known = new WeakMap<VisitorSocket, Connection>();

  return (socket) => {
    const existing = known.get(socket);
    if (existing !== undefined) return existing;

    const peerIp = parseIp(socket.remoteAddress ?? '');
    const connection: Connection = {
      peerIp: peerIp ?? '127.0.0.1',
      trusted: peerIp === undefined ? socket.remoteAddress === undefined : trusted.has(peerIp),
      transport: transportOf(socket),
      underway: underwayOf(socket),
    };
    known.set(socket, connection);
    return connection;
  };
}
