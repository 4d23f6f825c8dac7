import type { Origin as OriginAddress } from '@guard/config/settings/values';
import { ticksOf } from '../../base/deadline-ticks.ts';
import type { GatewayLimits } from '../../base/limits.ts';
import { Lanes } from '../lanes.ts';
import type { AnswerHandler, Lane, OpenOrigin, OriginExchange, OriginRequest } from '../origin.ts';
import type { Connection, ConnectionOwner } from './connection.ts';
import { type Dial, dialTo } from './dial.ts';
import { Exchange } from './exchange.ts';
import { IdleStack } from './idle-stack.ts';
import { HTTP1_LIMITS } from './limits.ts';
import { originTicks, type OriginTicks } from './origin-ticks.ts';
import { requestHead } from './request-head.ts';

/** RFC 9110 section 9.2.2, of the methods that have no body: sent once more, they do nothing twice. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * An origin that is spoken to in HTTP/1.1 (RFC 9112), one request a connection at a time, so that none
 * waits behind another. A request takes the connection that fell idle last, or opens one; the lanes
 * bound how many there are.
 */
export class Http1Origin implements OpenOrigin, ConnectionOwner {
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
