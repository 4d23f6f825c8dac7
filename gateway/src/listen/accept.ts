import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Log, Metrics } from '@guard/config/contract/ports';
import { ipv6NetworkOf } from '@guard/config/net/network-of';
import type { GatewayLimits } from '../base/limits.ts';
import { addressOf, notePeer, type Peer, peerOfAccepted, type Trusts } from './connection.ts';
import { takeProxyHeader } from './proxy-header.ts';
import type { VisitorRequest, VisitorResponse } from '../message/message.ts';
import type { UnreadAnswers } from './unread-answers.ts';
import type { Capacity } from '../origin/origin.ts';

/** The values that are needed to check a new connection before its first byte is read. */
export interface AcceptOptions {
  readonly limits: GatewayLimits;
  readonly metrics: Metrics;
  /** For problems that can come with every connection: throttled-log.ts. */
  readonly throttledLog: Log;
  /** Whether every connection begins with a PROXY header. */
  readonly proxyProtocol: boolean;
  /** Connections that have not sent their PROXY header yet. Their number is bounded by `maxConnections`. */
  readonly introducing: Set<Socket>;
  /** Whether the PROXY header of a peer is believed. The current settings decide this. */
  readonly trusts: Trusts;
  /** The answers that visitors do not read, at all listeners. */
  readonly unread: UnreadAnswers;
}

/**
 * Calls `take` with every accepted connection of a server, and with its peer. With the PROXY protocol, only trusted
 * peers may connect: a visitor who reaches the listener directly could name any address.
 */
export function acceptConnections(
  server: Server,
  accept: AcceptOptions,
  take: (socket: Socket, peer: Peer) => void,
): void {
  const { limits, metrics, throttledLog, introducing } = accept;
  const addressCounts = new AddressCounts(
    limits.maxConnectionsPerAddress,
    limits.maxUntrustedConnections,
  );
  let acceptedOn: 'tcp' | 'unix' = 'tcp';
  server.on('listening', () => {
    acceptedOn = typeof server.address() === 'string' ? 'unix' : 'tcp';
  });

  function refuse(reason: string, peer: string, why?: string): void {
    metrics.count('guard_gateway_connections_refused_total', reason);
    throttledLog('warn', 'gateway_connection_refused', { reason, peer, ...(why && { why }) });
  }

  function admit(socket: Socket, peer: Peer): void {
    if (peer.kind !== 'address' || accept.trusts(peer)) {
      take(socket, peer);
      return;
    }
    const isFull = addressCounts.size >= limits.maxUntrustedConnections;
    if (!isFull && addressCounts.take(socket, peer.ip)) {
      take(socket, peer);
      return;
    }
    refuse(isFull ? 'full' : 'address_full', peer.ip);
    socket.on('error', () => undefined);
    socket.destroy();
  }

  function readIntroduction(socket: Socket, balancer: Peer): void {
    const ip = addressOf(balancer);
    if (!accept.trusts(balancer)) {
      refuse('untrusted_peer', ip);
      socket.destroy();
      return;
    }
    introducing.add(socket);
    takeProxyHeader(socket, limits.proxyHeaderMs, (introduction) => {
      introducing.delete(socket);
      switch (introduction.kind) {
        case 'read': {
          const { source } = introduction;
          admit(
            socket,
            source === undefined ? { kind: 'unnamed', ip } : { kind: 'address', ip: source },
          );
          return;
        }
        case 'malformed':
          refuse('proxy_header_malformed', ip, introduction.why);
          break;
        case 'late':
          refuse('proxy_header_late', ip);
          break;
        case 'gone':
          break;
      }
      // The socket has no other listener for its errors.
      socket.on('error', () => undefined);
      socket.destroy();
    });
  }

  server.on('connection', (socket: Socket) => {
    const peer = peerOfAccepted(socket, acceptedOn);
    if (peer === undefined) socket.destroy();
    else if (accept.proxyProtocol) readIntroduction(socket, peer);
    else admit(socket, peer);
  });
  // Node closes connections above maxConnections, and emits this event.
  server.on('drop', (droppedSocket) => {
    refuse('full', droppedSocket?.remoteAddress ?? '');
  });
}

/** Makes a server serve only connections that passed these checks, and notes the peer of each connection. */
export function serveAccepted<Behind extends Server>(
  server: Behind,
  accept: AcceptOptions,
): Behind {
  const serve = takeConnections(server);
  acceptConnections(server, accept, (socket, peer) => {
    notePeer(socket, peer);
    serve(socket);
  });
  return server;
}

/**
 * The IPv6 networks around a visitor's address. A network may have `times` as many connections as one address. A home
 * usually has a /56, and a tunnel has a /48.
 */
const WIDER_NETWORKS = [
  { bits: 64, times: 1 },
  { bits: 56, times: 2 },
  { bits: 48, times: 4 },
] as const;

/**
 * When less than a quarter of all slots is free, an address gets at most a quarter of the free slots, so each further
 * address gets fewer. So a few addresses cannot use all slots.
 */
const SHARED_QUARTER = 4;

function shareOf({ total, free }: Capacity): number {
  return free * SHARED_QUARTER >= total ? Infinity : Math.max(1, Math.floor(free / SHARED_QUARTER));
}

/**
 * Counts the connections of each address (IPv4, or IPv6 /64), and of the networks around it, so that a few visitors
 * cannot use all connections.
 */
export class AddressCounts {
  readonly #perAddress: number;
  readonly #capacity: number;
  readonly #counts = new Map<string, number>();
  #size = 0;

  /** `perAddress` is the limit of one address, and `capacity` the limit of all addresses together. */
  constructor(perAddress: number, capacity = Infinity) {
    this.#perAddress = perAddress;
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  /** Counts one more connection until its socket closes. False when the address is at its bound. */
  take(socket: Socket, ip: string): boolean {
    const release = this.hold(ip);
    if (release === undefined) return false;
    socket.once('close', release);
    return true;
  }

  /**
   * Counts one more connection until the returned function is called. Undefined when the address is at its bound. The
   * connection takes one of `slots`. By default these are the slots of all addresses together.
   */
  hold(ip: string, slots: Capacity = this.#slots()): (() => void) | undefined {
    const limit = Math.min(this.#perAddress, shareOf(slots));
    const groups = ip.includes(':')
      ? WIDER_NETWORKS.map(({ bits, times }) => ({ name: ipv6NetworkOf(ip, bits), times }))
      : [{ name: ip, times: 1 }];
    if (groups.some(({ name, times }) => this.#countOf(name) >= limit * times)) return undefined;
    for (const { name } of groups) this.#counts.set(name, this.#countOf(name) + 1);
    this.#size += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#size -= 1;
      for (const { name } of groups) {
        const remaining = this.#countOf(name) - 1;
        if (remaining > 0) this.#counts.set(name, remaining);
        else this.#counts.delete(name);
      }
    };
  }

  #slots(): Capacity {
    return { total: this.#capacity, free: this.#capacity - this.#size };
  }

  #countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }
}

/** Stops a server from serving its connections by itself. Returns a function that makes it serve one connection. */
export function takeConnections(server: Server): (socket: Socket) => void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  return (socket) => {
    for (const take of listeners) Reflect.apply(take, server, [socket]);
  };
}

/** The functions and limits that every server of the gateway needs. */
export interface ServerParts {
  /** Handles one request from start to end. Never throws. */
  readonly handle: (req: VisitorRequest, res: VisitorResponse) => void;
  /** Handles a WebSocket handshake. `head` has the bytes that came after the handshake. */
  readonly upgrade: (req: IncomingMessage, head: Buffer) => void;
  readonly limits: GatewayLimits;
  readonly accept: AcceptOptions;
  /** True during the shutdown. Then each answer closes its connection. */
  readonly isClosing: () => boolean;
}
