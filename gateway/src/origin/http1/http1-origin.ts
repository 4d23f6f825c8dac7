import type { Origin as OriginAddress } from '@guard/config/settings/values/values';
import { DeadlineTicks, ticksOf } from '../../base/event-loop.ts';
import type { GatewayLimits } from '../../base/limits.ts';
import type { Connection, ConnectionPool } from './connection.ts';
import { type Dial, dialTo } from './dial.ts';
import { Exchange, type OriginTicks } from './exchange.ts';
import { HeldConnections } from './held-connections.ts';
import { HTTP1_LIMITS } from './limits.ts';
import { requestHead } from './request-head.ts';
import {
  type AnswerHandler,
  type Lane,
  type OpenOrigin,
  type OriginExchange,
  type OriginRequest,
  REPEATABLE,
  type Capacity,
} from '../origin.ts';

/**
 * The client for an origin that uses HTTP/1.1 (RFC 9112). Each connection carries one request at a time, so no request
 * waits for another. A request uses the connection that became idle last, or opens a new one. The lanes bound the
 * number of requests under way.
 */
export class Http1Origin implements OpenOrigin, ConnectionPool {
  readonly address: OriginAddress;
  readonly maxHeaderBytes: number;
  readonly tickClock: OriginTicks;
  readonly #dial: Dial;
  readonly #lanes: Lanes;
  readonly #connections = new Set<Connection>();
  readonly #idleStack = new IdleStack<Connection>(HTTP1_LIMITS.maxIdle);
  readonly #heldConnections = new HeldConnections(HTTP1_LIMITS.maxIdle);
  #sweep: NodeJS.Timeout | undefined;
  #closing: PromiseWithResolvers<undefined> | undefined;

  constructor(address: OriginAddress, limits: GatewayLimits) {
    this.address = address;
    this.maxHeaderBytes = limits.originMaxHeaderBytes;
    this.tickClock = new DeadlineTicks(
      {
        connect: limits.originConnectMs,
        head: limits.originHeadersMs,
        body: limits.originBodyIdleMs,
      },
      HTTP1_LIMITS.sweepMs,
    );
    this.#dial = dialTo(address);
    this.#lanes = new Lanes(limits);
  }

  send(lane: Lane, request: OriginRequest, handler: AnswerHandler): OriginExchange | undefined {
    if (this.#closing !== undefined || !this.#lanes.take(lane)) return undefined;
    const exchange = new Exchange(lane, request, handler);
    const { method, body, visitor } = request;
    const head = requestHead(request, method === 'HEAD');
    if (head === undefined) {
      process.nextTick(refuseExchange, this.#lanes, exchange);
      return exchange;
    }
    const isRepeatable = body === undefined && REPEATABLE.has(method);
    const earliestIdleTick = isRepeatable ? 0 : this.tickClock.sweepCount - FRESH_TICKS;
    const idleConnection =
      lane === 'retry'
        ? undefined
        : (this.#heldConnections.take(visitor, earliestIdleTick) ??
          this.#idleStack.take(earliestIdleTick));
    const connection = idleConnection ?? this.#openConnection();
    if (request.authenticatesConnection === true)
      this.#heldConnections.reserve(connection, visitor);
    connection.send(exchange, head);
    return exchange;
  }

  capacityOf(lane: Lane): Capacity {
    return this.#lanes.capacityOf(lane);
  }

  onReleased(exchange: Exchange): void {
    this.#lanes.release(exchange.lane);
  }

  onIdle(connection: Connection, keepsForS: number | undefined): void {
    const idleTicks = idleTicksOf(keepsForS);
    connection.idleSince = this.tickClock.sweepCount;
    connection.deadline = this.tickClock.sweepCount + idleTicks;
    const store =
      connection.signedInVisitor === undefined ? this.#idleStack : this.#heldConnections;
    if (this.#closing !== undefined || idleTicks <= 0 || !store.put(connection)) {
      connection.destroy();
    }
  }

  onClosed(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    this.#idleStack.remove(connection);
    this.#heldConnections.remove(connection);
    if (this.#connections.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    this.#closing?.resolve(undefined);
  }

  close(): Promise<void> {
    return this.#end((connection) => !connection.isBusy);
  }

  destroy(): Promise<void> {
    return this.#end(() => true);
  }

  async #end(isDue: (connection: Connection) => boolean): Promise<void> {
    this.#closing ??= Promise.withResolvers<undefined>();
    for (const connection of [...this.#connections]) if (isDue(connection)) connection.destroy();
    if (this.#connections.size > 0) await this.#closing.promise;
  }

  #openConnection(): Connection {
    const connection = this.#dial(this);
    this.#connections.add(connection);
    if (this.#sweep === undefined) {
      this.#sweep = setInterval(() => {
        this.#expire();
      }, HTTP1_LIMITS.sweepMs);
      this.#sweep.unref();
    }
    return connection;
  }

  #expire(): void {
    this.tickClock.sweepCount++;
    for (const connection of this.#connections) {
      if (connection.deadline <= this.tickClock.sweepCount) connection.expire();
    }
  }
}

const FRESH_TICKS = ticksOf(HTTP1_LIMITS.freshMs, HTTP1_LIMITS.sweepMs);
const IDLE_TICKS = ticksOf(HTTP1_LIMITS.idleMs, HTTP1_LIMITS.sweepMs);

/** How many sweeps a connection may stay idle: as many as the origin promises, within the bounds. */
function idleTicksOf(keepsForS: number | undefined): number {
  if (keepsForS === undefined) return IDLE_TICKS;
  const hintedMs = keepsForS * 1000 - HTTP1_LIMITS.hintMarginMs;
  return Math.floor(Math.min(hintedMs, HTTP1_LIMITS.maxHintedIdleMs) / HTTP1_LIMITS.sweepMs);
}

/** Reports a request that cannot be written. Like every failure, it is reported after `send` has returned. */
function refuseExchange(lanes: Lanes, exchange: Exchange): void {
  lanes.release(exchange.lane);
  exchange.refuse({ kind: 'unsendable', detail: 'the request cannot be written as HTTP/1.1' });
}

/**
 * Idle connections. The connection that was used last is taken first, so connections that are not needed stay idle and
 * expire.
 */
export class IdleStack<T extends { readonly idleSince: number }> {
  readonly #max: number;
  readonly #stack: T[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** The connection that was used last. Undefined when it became idle before the tick `earliestIdleTick`. */
  take(earliestIdleTick: number): T | undefined {
    const lastUsed = this.#stack.at(-1);
    return lastUsed === undefined || lastUsed.idleSince < earliestIdleTick
      ? undefined
      : this.#stack.pop();
  }

  /** Adds an idle connection. False when the stack is full. */
  put(connection: T): boolean {
    if (this.#stack.length >= this.#max) return false;
    this.#stack.push(connection);
    return true;
  }

  remove(connection: T): void {
    const index = this.#stack.lastIndexOf(connection);
    if (index !== -1) this.#stack.splice(index, 1);
  }
}

export class Lanes {
  readonly #capacity: Readonly<Record<Lane, number>>;
  readonly #busy: Record<Lane, number> = { plain: 0, upload: 0, retry: 0 };

  constructor(limits: GatewayLimits) {
    this.#capacity = {
      plain: limits.originPlainRequests,
      upload: limits.originUploads,
      retry: limits.originPlainRequests,
    };
  }

  /** Counts one more request in a lane. False when the lane is full. */
  take(lane: Lane): boolean {
    if (this.#busy[lane] >= this.#capacity[lane]) return false;
    this.#busy[lane]++;
    return true;
  }

  release(lane: Lane): void {
    this.#busy[lane]--;
  }

  capacityOf(lane: Lane): Capacity {
    const total = this.#capacity[lane];
    return { total, free: total - this.#busy[lane] };
  }
}
