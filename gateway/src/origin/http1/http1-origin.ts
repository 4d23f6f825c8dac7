import type { Origin as OriginAddress } from '@guard/config/settings/values/values';
import { DeadlineTicks, ticksOf } from '../../base/event-loop.ts';
import type { GatewayLimits } from '../../base/limits.ts';
import type { Connection, ConnectionPool } from './connection.ts';
import { type Dial, dialTo } from './dial.ts';
import { HTTP1_LIMITS } from './limits.ts';
import { requestHead } from './request-head.ts';
import type {
  AnswerHandler,
  Lane,
  OpenOrigin,
  OriginError,
  OriginExchange,
  OriginRequest,
} from '../origin.ts';

/** RFC 9110 section 9.2.2, of the methods that have no body: sent once more, they do nothing twice. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * An origin that is spoken to in HTTP/1.1 (RFC 9112), one request a connection at a time, so that none
 * waits behind another. A request takes the connection that fell idle last, or opens one; the lanes
 * bound how many there are.
 */
export class Http1Origin implements OpenOrigin, ConnectionPool {
  readonly address: OriginAddress;
  readonly maxHeaderBytes: number;
  readonly ticks: OriginTicks;
  readonly #dial: Dial;
  readonly #lanes: Lanes;
  readonly #open = new Set<Connection>();
  readonly #idle = new IdleStack<Connection>(HTTP1_LIMITS.maxIdle);
  #sweep: NodeJS.Timeout | undefined;
  #closing: PromiseWithResolvers<undefined> | undefined;

  constructor(address: OriginAddress, limits: GatewayLimits) {
    this.address = address;
    this.maxHeaderBytes = limits.originMaxHeaderBytes;
    this.ticks = originTicks(limits);
    this.#dial = dialTo(address);
    this.#lanes = new Lanes(limits);
  }

  send(lane: Lane, request: OriginRequest, handler: AnswerHandler): OriginExchange | undefined {
    if (this.#closing !== undefined || !this.#lanes.take(lane)) return undefined;
    const exchange = new Exchange(lane, request, handler);
    const { method, body } = request;
    const head = requestHead(request, method === 'HEAD');
    if (head === undefined) {
      process.nextTick(refuse, this.#lanes, exchange);
      return exchange;
    }
    const repeatable = body === undefined && REPEATABLE.has(method);
    const since = repeatable ? 0 : this.ticks.now - FRESH_TICKS;
    const kept = lane === 'retry' ? undefined : this.#idle.take(since);
    (kept ?? this.#openConnection()).send(exchange, head);
    return exchange;
  }

  onReleased(exchange: Exchange): void {
    this.#lanes.release(exchange.lane);
  }

  onIdle(connection: Connection, keepsForS: number | undefined): void {
    const idleTicks = idleTicksOf(keepsForS);
    connection.idleSince = this.ticks.now;
    connection.deadline = this.ticks.now + idleTicks;
    if (this.#closing !== undefined || idleTicks <= 0 || !this.#idle.put(connection)) {
      connection.destroy();
    }
  }

  onClosed(connection: Connection): void {
    if (!this.#open.delete(connection)) return;
    this.#idle.remove(connection);
    if (this.#open.size > 0) return;
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
    for (const connection of [...this.#open]) if (isDue(connection)) connection.destroy();
    if (this.#open.size > 0) await this.#closing.promise;
  }

  #openConnection(): Connection {
    const connection = this.#dial(this);
    this.#open.add(connection);
    if (this.#sweep === undefined) {
      this.#sweep = setInterval(() => {
        this.#expire();
      }, HTTP1_LIMITS.sweepMs);
      this.#sweep.unref();
    }
    return connection;
  }

  #expire(): void {
    this.ticks.now++;
    for (const connection of this.#open) {
      if (connection.deadline <= this.ticks.now) connection.expire();
    }
  }
}

const FRESH_TICKS = ticksOf(HTTP1_LIMITS.freshMs, HTTP1_LIMITS.sweepMs);
const IDLE_TICKS = ticksOf(HTTP1_LIMITS.idleMs, HTTP1_LIMITS.sweepMs);

/** How many sweeps a connection may stay idle, of what the origin promised and the bounds allow. */
function idleTicksOf(keepsForS: number | undefined): number {
  if (keepsForS === undefined) return IDLE_TICKS;
  const hintedMs = keepsForS * 1000 - HTTP1_LIMITS.hintMarginMs;
  return Math.floor(Math.min(hintedMs, HTTP1_LIMITS.maxHintedIdleMs) / HTTP1_LIMITS.sweepMs);
}

/** What cannot be written is told as every failure is: after `send` has returned. */
function refuse(lanes: Lanes, exchange: Exchange): void {
  lanes.release(exchange.lane);
  exchange.refuse({ kind: 'unsendable', detail: 'the request cannot be written as HTTP/1.1' });
}

/**
 * One request and the connection that it is on. Callers may hold it for longer than it has
 * the connection. Then it must not reach into the request that has the connection next.
 */
export class Exchange implements OriginExchange {
  readonly lane: Lane;
  readonly request: OriginRequest;
  readonly handler: AnswerHandler;
  /** Undefined once it is over. */
  connection: OriginExchange | undefined;
  #aborted = false;

  constructor(lane: Lane, request: OriginRequest, handler: AnswerHandler) {
    this.lane = lane;
    this.request = request;
    this.handler = handler;
  }

  abort(): void {
    this.#aborted = true;
    this.connection?.abort();
  }

  pause(): void {
    this.connection?.pause();
  }

  resume(): void {
    this.connection?.resume();
  }

  /** Ends it before it had a connection. */
  refuse(error: OriginError): void {
    if (!this.#aborted) this.handler.onError(error);
  }
}

/** Connections without a request, the last used on top: those below fall out of use and are let go. */
export class IdleStack<T extends { readonly idleSince: number }> {
  readonly #max: number;
  readonly #stack: T[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** The one that was used last, if it fell idle no earlier than `since`. */
  take(since: number): T | undefined {
    const last = this.#stack.at(-1);
    return last === undefined || last.idleSince < since ? undefined : this.#stack.pop();
  }

  /** False when there are enough. */
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

/** How many requests may be under way to one origin, lane by lane. */
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

  /** False when the lane is full. */
  take(lane: Lane): boolean {
    if (this.#busy[lane] >= this.#capacity[lane]) return false;
    this.#busy[lane]++;
    return true;
  }

  release(lane: Lane): void {
    this.#busy[lane]--;
  }
}

/** Deadlines of what an origin is waited for. */
export type OriginTicks = DeadlineTicks<'connect' | 'head' | 'body'>;

function originTicks(limits: GatewayLimits): OriginTicks {
  return new DeadlineTicks(
    {
      connect: limits.originConnectMs,
      head: limits.originHeadersMs,
      body: limits.originBodyIdleMs,
    },
    HTTP1_LIMITS.sweepMs,
  );
}
