import type { Socket } from 'node:net';
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
      // What it relays is somebody else's, so its own good name says nothing of it.
      case 'unnamed':
        return false;
    }
  };
}

const known = new WeakMap<VisitorSocket, Peer>();

/** Notes who is at the other end of a connection, or of a stream of one. */
export function notePeer(socket: VisitorSocket, peer: Peer): void {
  known.set(socket, peer);
}

/** Nobody who can be trusted, where nothing was noted. */
export function peerOf(socket: VisitorSocket): Peer {
  return known.get(socket) ?? NOBODY;
}

const NOBODY: Peer = { kind: 'unnamed', ip: LOOPBACK };
