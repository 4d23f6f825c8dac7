import type { Socket } from 'node:net';
import type { TransportFacts } from '@guard/config/contract/transport';
import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';
import type { VisitorSocket } from '../message/message.ts';

/** Who is at the other end of a connection. Addresses are canonical: parseIp of config/net/cidr. */
export type Peer =
  /** The address of the socket, or the one that a trusted balancer named in its PROXY header. */
  | { readonly kind: 'address'; readonly ip: string }
  /** A program of this machine that came by a unix socket. */
  | { readonly kind: 'local' }
  /** A visitor behind the balancer at `ip`, whose PROXY header names no address. */
  | { readonly kind: 'unnamed'; readonly ip: string };

const LOOPBACK = '127.0.0.1';

/**
 * The peer of a new connection. Undefined when the peer has gone already.
 *
 * A socket without an address is not always a unix socket. A TCP connection loses its address at a reset, and bytes
 * that came before the reset can still be read.
 */
export function peerOfAccepted(socket: Socket, acceptedOn: 'tcp' | 'unix'): Peer | undefined {
  if (acceptedOn === 'unix') return { kind: 'local' };
  const ip = parseIp(socket.remoteAddress ?? '');
  return ip === undefined ? undefined : { kind: 'address', ip };
}

/** The address of a peer. A unix socket has none and counts as loopback. */
export function addressOf(peer: Peer): string {
  return peer.kind === 'local' ? LOOPBACK : peer.ip;
}

/** Whether the forwarded headers and the PROXY header of a peer are believed. */
export type Trusts = (peer: Peer) => boolean;

export function createTrust(trustedProxies: readonly string[]): Trusts {
  const trusted = PrefixSet.from(trustedProxies);

  return (peer) => {
    switch (peer.kind) {
      case 'address':
        return trusted.has(peer.ip);
      case 'local':
        return true;
      // The balancer is trusted, but not the visitor behind it.
      case 'unnamed':
        return false;
    }
  };
}

const peers = new WeakMap<VisitorSocket, Peer>();

/** Notes who is at the other end of a connection, or of a stream of one. */
export function notePeer(socket: VisitorSocket, peer: Peer): void {
  peers.set(socket, peer);
}

/** The noted peer. Without one, a peer that is not trusted. */
export function peerOf(socket: VisitorSocket): Peer {
  return peers.get(socket) ?? NOBODY;
}

const NOBODY: Peer = { kind: 'unnamed', ip: LOOPBACK };

const transports = new WeakMap<VisitorSocket, TransportFacts>();

/** Notes what a connection, or a stream of it, showed about the visitor's program. */
export function noteTransport(socket: VisitorSocket, facts: TransportFacts): void {
  transports.set(socket, facts);
}

/** Undefined when TLS was not ended here: the connection is plain, or a proxy in front ended TLS. */
function transportOf(socket: VisitorSocket): TransportFacts | undefined {
  return transports.get(socket);
}

/** A request under way on a visitor's connection. It ends when the connection ends. */
export interface Underway {
  /** The visitor has gone. */
  abandon(): void;
}

/**
 * The facts about one TCP or unix connection. They are found once for all of its requests. With HTTP/2 each stream
 * has its own, because a request ends with its stream.
 */
export interface Connection {
  /** Canonical address of the peer, or of the visitor whom a trusted balancer named: see Peer. */
  readonly peerIp: string;
  /** Whether the peer's forwarded headers are believed: it is in `trusted_proxies`, or came by a unix socket. */
  readonly trusted: boolean;
  /** What the TLS handshake showed. Undefined without TLS. */
  readonly transport: TransportFacts | undefined;
  /**
   * The requests at the origin. The connection keeps them, because Node does not tell a waiting pipelined request
   * that the connection has closed.
   */
  readonly underway: Set<Underway>;
}

export type ConnectionOf = (socket: VisitorSocket) => Connection;

/** The open requests of a connection. Some may have begun before the last reload. */
type UnderwayOf = (socket: VisitorSocket) => Set<Underway>;

/** Keeps a set of open requests for each connection, and abandons them when it closes. */
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

/** Looks up the record of a connection. It is made at the first request. */
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
