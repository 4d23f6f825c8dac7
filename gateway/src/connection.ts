import type { Socket } from 'node:net';
import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';

/** Something under way on a visitor's connection that ends when the connection does. */
export interface Underway {
  /** The visitor has gone. */
  abandon(): void;
}

/** What is known of one TCP or unix connection; worked out once, however many requests it carries. */
export interface Connection {
  /** Canonical address of the peer. A unix socket has none and counts as loopback. */
  readonly peerIp: string;
  /** The peer's forwarded headers are believed: it lies in `trusted_proxies`, or came by a unix socket. */
  readonly trusted: boolean;
  /**
   * Requests at the origin. Kept by connection, since Node tells a pipelined request that waits for
   * its turn nothing when the connection closes.
   */
  readonly underway: Set<Underway>;
}

export type ConnectionOf = (socket: Socket) => Connection;

/** Looks up the record of a connection, making it at the first request. */
export function createConnections(trustedProxies: readonly string[]): ConnectionOf {
  const trusted = PrefixSet.from(trustedProxies);
  const known = new WeakMap<Socket, Connection>();

  return (socket) => {
    const existing = known.get(socket);
    if (existing !== undefined) return existing;

    const peerIp = parseIp(socket.remoteAddress ?? '');
    const connection: Connection = {
      peerIp: peerIp ?? '127.0.0.1',
      trusted: peerIp === undefined ? socket.remoteAddress === undefined : trusted.has(peerIp),
      underway: new Set(),
    };
    known.set(socket, connection);
    socket.once('close', () => {
      for (const request of connection.underway) request.abandon();
      connection.underway.clear();
    });
    return connection;
  };
}
