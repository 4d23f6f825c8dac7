import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayLimits } from '../base/limits.ts';
import type { ForwardPorts, Handle } from './forward-ports.ts';
import { BUSY } from './origin-failure.ts';
import { Handshake, isKey } from './upgrade-handshake.ts';
import { NodeResponse } from '../http1/node-response.ts';
import { HeldByAddress } from '../listen/accept.ts';
import { shortFailure } from '../judge/failure-answer.ts';
import { plainAnswer, serve } from '../message/own-answer.ts';

interface Upgrades {
  /** Takes the 'upgrade' event of the server. */
  readonly handle: (req: IncomingMessage, head: Buffer) => void;
  /** Tells both sides of every tunnel that Guard goes away, and cuts them when called again. */
  readonly close: () => void;
}

/**
 * WebSocket handshakes take the same way as any request: same site, same decision, same cleaning of
 * headers. What was admitted goes to the origin, and the sockets are joined when it has switched protocols.
 */
export function createUpgrades(handle: Handle, ports: ForwardPorts): Upgrades {
  const { limits, metrics } = ports;
  const open = new OpenUpgrades(limits);

  return {
    handle: (req, head) => {
      const { socket } = req;
      const { res, release } = keepForAnswer(req, limits.idleTimeoutMs);
      if (!isKey(req.headers['sec-websocket-key'] ?? '')) {
        metrics.count('guard_gateway_requests_total', 'refused');
        serve(req, res, plainAnswer(400, 'Invalid Sec-WebSocket-Key.'), limits.lingerMs);
        return;
      }
      handle(req, res, (visit, plan) => {
        if (!open.take(socket, visit.client.ip)) {
          plan.event?.record(BUSY.status);
          metrics.count('guard_gateway_requests_total', 'refused');
          serve(req, visit.res, shortFailure(BUSY.status), limits.lingerMs);
          return;
        }
        const handshake = new Handshake(ports, visit, plan, (origin, join) => {
          release();
          // A field of the 101 is bytes, each written as it came.
          socket.setDefaultEncoding('latin1');
          if (head.length > 0) socket.unshift(head);
          join();
          open.endBy(socket, watchTunnel(socket, origin, limits.idleTimeoutMs));
        });
        handshake.start(req);
        // The library ends the time-out of the socket, which is still to be answered.
        socket.setTimeout(limits.idleTimeoutMs);
      });
    },
    close: () => {
      open.close();
    },
  };
}

interface Kept {
  readonly res: NodeResponse;
  /** The socket is for something else from now on. */
  readonly release: () => void;
}

/**
 * The answer on the socket of a handshake. Node took all of its listeners away with the upgrade, so that
 * it would not hear that the visitor leaves, takes nothing, or can take more.
 */
function keepForAnswer(req: IncomingMessage, idleMs: number): Kept {
  const { socket } = req;
  const res = new NodeResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.once('finish', () => {
    socket.destroySoon();
  });

  const goOn = () => res.emit('drain');
  const cut = () => socket.destroy();
  // Sees the end of what the visitor sends, and leaves what comes before it to the tunnel.
  const look = () => {
    if (socket.readableLength === 0) socket.read();
  };
  // 'close' follows and says all there is to know.
  socket.on('error', () => undefined);
  socket.setTimeout(idleMs).on('timeout', cut);
  socket.on('drain', goOn).on('end', cut).on('readable', look);
  return {
    res,
    release: () => {
      socket.off('drain', goOn).off('end', cut).off('readable', look).off('timeout', cut);
      res.detachSocket(socket);
    },
  };
}

type Limits = Pick<GatewayLimits, 'maxUpgrades' | 'maxUpgradesPerAddress'>;

/** The upgrades that are under way or open, each with how it ends. */
class OpenUpgrades {
  readonly #limits: Limits;
  readonly #ends = new Map<Socket, () => void>();
  readonly #ofAddress: HeldByAddress;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#ofAddress = new HeldByAddress(limits.maxUpgradesPerAddress);
  }

  /** False where no more may be open, at all or for this address. */
  take(socket: Socket, ip: string): boolean {
    if (this.#ends.size >= this.#limits.maxUpgrades || !this.#ofAddress.take(socket, ip))
      return false;
    this.endBy(socket, () => socket.destroy());
    socket.once('close', () => this.#ends.delete(socket));
    return true;
  }

  endBy(socket: Socket, end: () => void): void {
    this.#ends.set(socket, end);
  }

  /** Ends them, and cuts what is left when called again. */
  close(): void {
    for (const [socket, end] of this.#ends) {
      this.endBy(socket, () => socket.destroy());
      end();
    }
  }
}

/** TCP's own probes find a side that vanished behind a long silence. */
const PROBE_AFTER_MS = 60_000;

/** RFC 6455 section 5.5.1: Close with 1001, "going away". A client masks its frames, here with zeros. */
const CLOSE_TO_VISITOR = Buffer.from([0x88, 0x02, 0x03, 0xe9]);
const CLOSE_TO_ORIGIN = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9]);

/**
 * Watches a tunnel whose sides are joined. A side that has sent its end still gets what the other one sends.
 * The tunnel is over when one side is gone, or takes nothing of what waits for it for `idleMs`. Both
 * sides may be silent for as long as they like.
 *
 * @returns ends the tunnel, and tells both sides that Guard goes away
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
  // 'close' follows each error.
  from.on('error', () => undefined);
  from.once('close', () => {
    to.destroySoon();
  });
}
