import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayLimits } from '../base/limits.ts';
import type { ForwardPorts, Handle } from './forward-ports.ts';
import { BUSY } from './origin-failure.ts';
import { Handshake, isWebSocketKey } from './upgrade-handshake.ts';
import { NodeResponse } from '../http1/node-response.ts';
import { AddressCounts } from '../listen/accept.ts';
import { shortFailure } from '../judge/failure-answer.ts';
import { plainAnswer, serve } from '../message/own-answer.ts';

interface Upgrades {
  /** Handles the 'upgrade' event of the server. */
  readonly handle: (req: IncomingMessage, head: Buffer) => void;
  /** Tells both sides of every tunnel that Guard shuts down. A second call cuts the tunnels that are left. */
  readonly close: () => void;
}

/**
 * A WebSocket handshake is handled like any other request: the same site, the same decision, the same removal of
 * header fields. An admitted handshake goes to the origin. The two sockets are joined when the origin has switched
 * protocols.
 */
export function createUpgrades(handle: Handle, ports: ForwardPorts): Upgrades {
  const { limits, metrics } = ports;
  const openUpgrades = new OpenUpgrades(limits);

  return {
    handle: (req, head) => {
      const { socket } = req;
      const { res, release } = keepForAnswer(req, limits.idleTimeoutMs);
      if (!isWebSocketKey(req.headers['sec-websocket-key'] ?? '')) {
        metrics.count('guard_gateway_requests_total', 'refused');
        serve(req, res, plainAnswer(400, 'Invalid Sec-WebSocket-Key.'), limits.lingerMs);
        return;
      }
      handle(req, res, (visit, plan) => {
        if (!openUpgrades.take(socket, visit.client.ip)) {
          plan.event?.record(BUSY.status);
          metrics.count('guard_gateway_requests_total', 'refused');
          serve(req, visit.res, shortFailure(BUSY.status), limits.lingerMs);
          return;
        }
        const handshake = new Handshake(ports, visit, plan, (origin, join) => {
          release();
          // The bytes of the fields of the 101 are written unchanged.
          socket.setDefaultEncoding('latin1');
          if (head.length > 0) socket.unshift(head);
          join();
          openUpgrades.endBy(socket, watchTunnel(socket, origin, limits.idleTimeoutMs));
        });
        handshake.start(req);
        // The library turns off the time-out of the socket. The handshake still needs the time-out until it is
        // answered.
        socket.setTimeout(limits.idleTimeoutMs);
      });
    },
    close: () => {
      openUpgrades.close();
    },
  };
}

/**
 * An answer on the socket of a handshake. Node removes its own listeners at an upgrade. The listeners of this function
 * notice when the visitor leaves, stops reading, or can receive more bytes. `release` removes these listeners, because
 * the socket becomes a tunnel.
 */
function keepForAnswer(req: IncomingMessage, idleMs: number) {
  const { socket } = req;
  const res = new NodeResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.once('finish', () => {
    socket.destroySoon();
  });

  const emitDrain = () => res.emit('drain');
  const closeSocket = () => socket.destroy();
  // When unread bytes come before the end, the tunnel reads them and the end.
  const noticeEnd = () => {
    if (socket.readableLength === 0) socket.read();
  };
  // An error needs no handling here: 'close' follows it and is handled.
  socket.on('error', () => undefined);
  socket.setTimeout(idleMs).on('timeout', closeSocket);
  socket.on('drain', emitDrain).on('end', closeSocket).on('readable', noticeEnd);
  return {
    res,
    release: () => {
      socket
        .off('drain', emitDrain)
        .off('end', closeSocket)
        .off('readable', noticeEnd)
        .off('timeout', closeSocket);
      res.detachSocket(socket);
    },
  };
}

type UpgradeLimits = Pick<GatewayLimits, 'maxUpgrades' | 'maxUpgradesPerAddress'>;

/** The sockets of handshakes under way and of open tunnels. Each socket has a function that ends it. */
class OpenUpgrades {
  readonly #limits: UpgradeLimits;
  readonly #ends = new Map<Socket, () => void>();
  readonly #addressCounts: AddressCounts;

  constructor(limits: UpgradeLimits) {
    this.#limits = limits;
    this.#addressCounts = new AddressCounts(limits.maxUpgradesPerAddress, limits.maxUpgrades);
  }

  /** Counts one more socket. False when there are too many: of all addresses, or of this address. */
  take(socket: Socket, ip: string): boolean {
    if (this.#ends.size >= this.#limits.maxUpgrades || !this.#addressCounts.take(socket, ip))
      return false;
    this.endBy(socket, () => socket.destroy());
    socket.once('close', () => this.#ends.delete(socket));
    return true;
  }

  endBy(socket: Socket, end: () => void): void {
    this.#ends.set(socket, end);
  }

  /** Ends every open socket in its own way. A second call destroys the sockets that are still open. */
  close(): void {
    for (const [socket, end] of this.#ends) {
      this.endBy(socket, () => socket.destroy());
      end();
    }
  }
}

/** After this time of silence TCP sends probes, which find out whether the other side is still there. */
const PROBE_AFTER_MS = 60_000;

/** RFC 6455 section 5.5.1: Close with 1001, "going away". A client has to mask its frames, here with zero. */
const CLOSE_TO_VISITOR = Buffer.from([0x88, 0x02, 0x03, 0xe9]);
const CLOSE_TO_ORIGIN = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9]);

/**
 * Watches a tunnel. A side that has ended its own stream still gets the bytes of the other side. The tunnel ends when
 * one side has gone, or when it does not read waiting bytes for `idleMs`. Silence of both sides does not end the
 * tunnel.
 *
 * @returns a function that tells both sides that Guard shuts down, and ends the tunnel
 */
export function watchTunnel(visitor: Socket, origin: Socket, idleMs: number): () => void {
  watch(visitor, origin, idleMs);
  watch(origin, visitor, idleMs);
  return () => {
    visitor.end(CLOSE_TO_VISITOR);
    origin.end(CLOSE_TO_ORIGIN);
    visitor.destroySoon();
    origin.destroySoon();
  };
}

function watch(from: Socket, to: Socket, idleMs: number): void {
  from.setNoDelay(true);
  from.setKeepAlive(true, PROBE_AFTER_MS);
  from.allowHalfOpen = true;
  from.setTimeout(idleMs).on('timeout', () => {
    if (from.writableLength > 0) from.destroy();
  });
  // Errors need no handling here: 'close' follows each of them.
  from.on('error', () => undefined);
  from.once('close', () => {
    to.destroySoon();
  });
}
