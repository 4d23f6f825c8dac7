import type { Socket } from 'node:net';
import type { TransportFacts } from '@guard/config/contract/transport';
import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';
import type { VisitorSocket } from '../message/message.ts';

/** Who is at the other end of a connection. Addresses are canonical: parseIp of config/net/cidr. */
export type Peer =
  /** The address of the socket, or the address that a trusted balancer named in its PROXY header. */
  | { readonly kind: 'address'; readonly ip: string }
  /** A program on this machine that connected over a unix socket. */
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

/** The address of a peer. A unix socket has no address, so the result for it is a loopback address. */
export function addressOf(peer: Peer): string {
  return peer.kind === 'local' ? LOOPBACK : peer.ip;
}

/** Whether the forwarded headers and the PROXY header of a peer are believed. */
export type Trusts = (peer: Peer) => boolean;

export function createTrust(trustedProxies: readonly string[]): Trusts {
  const trustedPrefixes = PrefixSet.from(trustedProxies);

  return (peer) => {
    switch (peer.kind) {
      case 'address':
        return trustedPrefixes.has(peer.ip);
      case 'local':
        return true;
      // The balancer is trusted, but its visitor is not.
      case 'unnamed':
        return false;
    }
  };
}

/** Notes about one connection, or about one stream. */
interface SocketNotes {
  readonly peer: Peer;
  /**
   * What the TLS handshake showed. Undefined when this gateway did not decrypt TLS: the connection is plain, or a proxy
   * in front decrypts TLS.
   */
  readonly transport: TransportFacts | undefined;
  /** The facts about the connection. Undefined before the first request. */
  connection: Connection | undefined;
  /** The trust settings with which `connection` was made. */
  madeBy: Trusts | undefined;
}

/** The notes are a property of the socket. A WeakMap would give the garbage collector work for each stream. */
const NOTES = Symbol('notes');
type NotedSocket = VisitorSocket & { [NOTES]?: SocketNotes };

const UNKNOWN_PEER: Peer = { kind: 'unnamed', ip: LOOPBACK };

/** Notes the peer of a connection or stream, and what the TLS handshake of the peer showed. */
export function notePeer(socket: NotedSocket, peer: Peer, transport?: TransportFacts): SocketNotes {
  const notes: SocketNotes = { peer, transport, connection: undefined, madeBy: undefined };
  socket[NOTES] = notes;
  return notes;
}

/** The noted peer, or an untrusted peer when none was noted. */
export function peerOf(socket: NotedSocket): Peer {
  return socket[NOTES]?.peer ?? UNKNOWN_PEER;
}

/** A request under way on a visitor's connection. It ends when the connection ends. */
export interface Underway {
  /** The visitor has gone. */
  abandon(): void;
}

/**
 * The facts about one connection, found once for all of its requests. With HTTP/2 each stream has its own facts,
 * because a request ends with its stream.
 */
export interface Connection {
  /** Canonical address of the peer, or of the visitor whom a trusted balancer named: see Peer. */
  readonly peerIp: string;
  /**
   * Whether the peer's forwarded headers are believed: the peer is in `trusted_proxies`, or connected over a unix
   * socket.
   */
  readonly trusted: boolean;
  /** What the TLS handshake showed. Undefined without TLS. */
  readonly transport: TransportFacts | undefined;
  /**
   * The requests that are under way at the origin. The connection keeps a list of them, because Node does not tell a
   * waiting pipelined request that the connection has closed.
   */
  readonly underway: Set<Underway>;
}

export type ConnectionOf = (socket: VisitorSocket) => Connection;

/** The set of the open requests of a connection. When the connection closes, they are abandoned. */
function trackUnderway(socket: VisitorSocket): Set<Underway> {
  const underway = new Set<Underway>();
  socket.once('close', () => {
    for (const request of underway) request.abandon();
    underway.clear();
  });
  return underway;
}

/** Makes the function that returns the facts about a connection. It finds them at the first request. */
export function createConnections(trusts: Trusts): ConnectionOf {
  return (socket: NotedSocket) => {
    const notes = socket[NOTES] ?? notePeer(socket, UNKNOWN_PEER);
    const lastConnection = notes.connection;
    if (lastConnection !== undefined && notes.madeBy === trusts) return lastConnection;

    const connection: Connection = {
      peerIp: addressOf(notes.peer),
      trusted: trusts(notes.peer),
      transport: notes.transport,
      // Some of the open requests may have begun before the last reload.
      underway: lastConnection?.underway ?? trackUnderway(socket),
    };
    notes.connection = connection;
    notes.madeBy = trusts;
    return connection;
  };
}
