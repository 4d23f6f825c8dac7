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
  /** Somebody behind the balancer at `ip`, which did not say who. */
  | { readonly kind: 'unnamed'; readonly ip: string };

const LOOPBACK = '127.0.0.1';

/**
 * Reads the peer of a connection that was just accepted; undefined when it has gone already.
 *
 * That a socket has no address does not make it a unix socket: a TCP connection that was reset loses
 * its own, and what was sent before the reset can still be read.
 */
export function peerOfAccepted(socket: Socket, acceptedOn: 'tcp' | 'unix'): Peer | undefined {
  if (acceptedOn === 'unix') return { kind: 'local' };
  const ip = parseIp(socket.remoteAddress ?? '');
  return ip === undefined ? undefined : { kind: 'address', ip };
}

/** The address that a peer counts as. A unix socket has none and counts as loopback. */
export function addressOf(peer: Peer): string {
  return peer.kind === 'local' ? LOOPBACK : peer.ip;
}

/** Whether a peer's word counts: its forwarded headers, or its PROXY header. */
export type Trusts = (peer: Peer) => boolean;

export function createTrust(trustedProxies: readonly string[]): Trusts {
  const trusted = PrefixSet.from(trustedProxies);

  return (peer) => {
    switch (peer.kind) {
      case 'address':
        return trusted.has(peer.ip);
      case 'local':
        return true;
      // It relays the connections of others, so trust in it does not cover them.
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

/** Nobody who can be trusted, where nothing was noted. */
export function peerOf(socket: VisitorSocket): Peer {
  return peers.get(socket) ?? NOBODY;
}

const NOBODY: Peer = { kind: 'unnamed', ip: LOOPBACK };

const transports = new WeakMap<VisitorSocket, TransportFacts>();

/** Notes what a connection, or a stream of it, showed of the program behind it. */
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
 * What is known of one TCP or unix connection; worked out once, however many requests it carries. Over
 * HTTP/2 it is that of one stream: what is under way there ends with the stream.
 */
export interface Connection {
  /** Canonical address of the peer, or of the visitor for whom a trusted balancer connects: Peer. */
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

/** All open requests of a connection. Some of them may have begun under earlier settings. */
type UnderwayOf = (socket: VisitorSocket) => Set<Underway>;

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
