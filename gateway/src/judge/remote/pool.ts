import type { Patience } from '@guard/config/time/patience';
import { buildConnector, Pool } from 'undici';

interface PoolLimits {
  /** Connections that may be open at once. */
  readonly connections: number;
  readonly maxHeaderBytes: number;
}

/** How long a connection is kept without a question, unless the validator asks for less. */
const KEEP_ALIVE_MS = 55_000;

/** The connections to one validator. Each carries one question at a time. */
export interface Connections {
  readonly pool: Pool;
  /** Whether one is open. The other end may have closed it already. */
  readonly areOpen: () => boolean;
}

/** Connects to nobody yet: a connection opens with the question that needs it. */
export function openPool(origin: string, limits: PoolLimits, patience: Patience): Connections {
  const pool = new Pool(origin, {
    connections: limits.connections,
    pipelining: 1,
    allowH2: false,
    connect: connectWithin(patience),
    // A question has a deadline of its own, over all of them.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: limits.maxHeaderBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  // `pool.stats` counts the same, but goes through all connections for it.
  let open = 0;
  pool.on('connect', () => open++);
  pool.on('disconnect', () => open--);
  return { pool, areOpen: () => open > 0 };
}

/** Ends an attempt to connect by the clock of the questions: a plain timer would also count time in which this thread was busy. */
function connectWithin(patience: Patience): buildConnector.connector {
  return (options, done) => {
    const attempt = new AbortController();
    const wait = patience.begin(() => {
      attempt.abort();
    });
    const connect = buildConnector({ allowH2: false, timeout: 0, signal: attempt.signal });
    connect(options, (...result) => {
      patience.end(wait);
      done(...result);
    });
  };
}
