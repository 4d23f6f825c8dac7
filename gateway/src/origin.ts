import type { Origin as OriginAddress } from '@guard/config/settings/values';
import { type Dispatcher, Pool } from 'undici';
import type { GatewayLimits } from './limits.ts';

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

export interface Origins {
  /** The next origin in turn. */
  next(): Origin;
  readonly count: number;
  /** Lets requests under way finish. */
  close(): Promise<void>;
  /** Cuts them. */
  destroy(): Promise<void>;
}

/** Connections to the origins of one site, taken in turn. */
export function createOrigins(addresses: readonly OriginAddress[], limits: GatewayLimits): Origins {
  const clients = addresses.map((address) => new PooledOrigin(address, limits));
  const [first] = clients;
  if (first === undefined) throw new TypeError('a site needs an origin');
  let turn = 0;
  return {
    count: clients.length,
    next: () => {
      turn = (turn + 1) % clients.length;
      return clients[turn] ?? first;
    },
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
    },
    destroy: async () => {
      await Promise.all(clients.map((client) => client.destroy()));
    },
  };
}

class PooledOrigin implements Origin {
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
