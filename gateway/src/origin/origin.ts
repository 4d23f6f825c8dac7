import type { Origin as OriginAddress } from '@guard/config/settings/values';
import { type Dispatcher, Pool } from 'undici';
import type { GatewayLimits } from '../limits.ts';

/**
 * The way of one request to an origin. `plain` has no body; `upload` has; `retry` repeats a plain one
 * on a connection of its own, which cannot be a stale one.
 */
export type Lane = 'plain' | 'upload' | 'retry';

/** One origin server. undici's dispatch contract is the port: another client with it can take its place. */
export interface Origin {
  readonly address: OriginAddress;
  /** False when the lane is full: then nothing was sent and the handler is not called. */
  dispatch(lane: Lane, request: Dispatcher.DispatchOptions, handler: LaneHandler): boolean;
}

/** The handler says when it no longer occupies its lane: exactly once for each dispatch that returned true. */
export interface LaneHandler extends Dispatcher.DispatchHandler {
  release: () => void;
}

/** An origin with the connections that are kept to it. */
export interface OpenOrigin extends Origin {
  /** Lets requests under way finish. */
  close(): Promise<void>;
  /** Cuts them. */
  destroy(): Promise<void>;
}

export interface Origins {
  /** The next origin in turn. */
  next(): Origin;
  readonly count: number;
}

/** Takes the origins of one site in turn. */
export function takeTurns(origins: readonly Origin[]): Origins {
  const [first] = origins;
  if (first === undefined) throw new TypeError('a site needs an origin');
  let turn = 0;
  return {
    count: origins.length,
    next: () => {
      turn = (turn + 1) % origins.length;
      return origins[turn] ?? first;
    },
  };
}

/** Opens connections to one origin as requests come. */
export function openOrigin(address: OriginAddress, limits: GatewayLimits): OpenOrigin {
  return new PooledOrigin(address, limits);
}

class PooledOrigin implements OpenOrigin {
  readonly address: OriginAddress;
  readonly #reused: Pool;
  readonly #fresh: Pool;
  readonly #capacity: Readonly<Record<Lane, number>>;
  readonly #busy: Record<Lane, number> = { plain: 0, upload: 0, retry: 0 };
  readonly #release: Readonly<Record<Lane, () => void>>;
  readonly #servername: string | undefined;

  constructor(address: OriginAddress, limits: GatewayLimits) {
    this.address = address;
    const base = address.kind === 'url' ? address.origin : 'http://localhost';
    // No cap on the pool itself: undici would queue without bound. The lanes are the cap.
    const options: Pool.Options = {
      connections: null,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: limits.originMaxHeaderBytes,
      headersTimeout: limits.originHeadersMs,
      bodyTimeout: limits.originBodyIdleMs,
      connectTimeout: limits.originConnectMs,
      ...(address.kind === 'unix' ? { socketPath: address.path } : {}),
    };
    this.#reused = new Pool(base, options);
    this.#fresh = new Pool(base, { ...options, pipelining: 0 });
    this.#capacity = {
      plain: limits.originPlainRequests,
      upload: limits.originUploads,
      retry: limits.originPlainRequests,
    };
    this.#release = {
      plain: () => this.#busy.plain--,
      upload: () => this.#busy.upload--,
      retry: () => this.#busy.retry--,
    };
    this.#servername = address.kind === 'url' ? tlsName(address.origin) : undefined;
  }

  dispatch(lane: Lane, request: Dispatcher.DispatchOptions, handler: LaneHandler): boolean {
    if (this.#busy[lane] >= this.#capacity[lane]) return false;
    this.#busy[lane]++;
    handler.release = this.#release[lane];
    const pool = lane === 'retry' ? this.#fresh : this.#reused;
    // undici would take the visitor's Host for SNI, and reconnect whenever it changes.
    const named = { ...request, servername: this.#servername };
    pool.dispatch(this.#servername === undefined ? request : named, handler);
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([this.#reused.close(), this.#fresh.close()]);
  }

  async destroy(): Promise<void> {
    await Promise.all([this.#reused.destroy(), this.#fresh.destroy()]);
  }
}

/** The name to ask for in TLS; undefined where there is none: plain http, or an address. */
function tlsName(origin: string): string | undefined {
  const { protocol, hostname } = new URL(origin);
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  return protocol === 'https:' && !isAddress ? hostname : undefined;
}
