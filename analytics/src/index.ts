import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type {
  QueryCaller,
  AuthenticateBearer,
  Clock,
  EventSink,
  ListColumns,
  Log,
  Metrics,
  RunQuery,
} from '@guard/config/contract/ports';
import type { AnalyticsSettings, Organisation } from '@guard/config/settings/schema';
import type { Engine } from './database/engine.ts';
import { createForget, type Forget } from './database/forget.ts';
import { createInsert } from './database/insert.ts';
import { findEngineLibrary } from './database/library.ts';
import type { Batch } from './events/batch.ts';
import { BUFFER_LIMITS, EventBuffer } from './events/buffer.ts';
import { BlockMemory } from './events/native/block-memory.ts';
import { Outbox } from './events/outbox.ts';
import { createReceiver } from './events/relay.ts';
import type { Pause } from './events/outbox.ts';
import { openSpill } from './events/spill.ts';
import type { Spill } from './events/spill.ts';
import { createClickHouseListener } from './clickhouse-http/listener.ts';
import { createListColumns } from './query/list-columns.ts';
import { createQueryRoute } from './query/route.ts';
import { createRunQuery } from './query/run.ts';

export type { Batch } from './events/batch.ts';
export { emptyColumns } from './events/columns/privacy.ts';
export { type EventRelay, openEventRelay } from './events/relay.ts';

export interface AnalyticsOptions {
  readonly settings: AnalyticsSettings;
  readonly organisations: readonly Pick<Organisation, 'id'>[];
  readonly authenticate: AuthenticateBearer;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Finds the caller of a request. Returns undefined for an unknown caller. */
type Identify = (request: FastifyRequest) => QueryCaller | undefined;

export interface Analytics {
  readonly sink: EventSink;
  /** Accepts a batch that another thread has encoded: puts it into the outbox, or saves its current state to disk. */
  accept(destination: 'outbox' | 'disk', batch: Batch): void;
  /** Number of batches that wait in memory for the database. */
  waiting(): number;
  readonly runQuery: RunQuery;
  readonly listColumns: ListColumns;
  /** `POST /query` for holders of a key. It can be registered beside other routes. */
  readonly routes: FastifyPluginAsync;
  /** The same route at another path, with another function that identifies callers. */
  readonly routeFor: (path: string, identify: Identify) => FastifyPluginAsync;
  /** ClickHouse's HTTP interface for programs that use it, with the same statements, keys and limits. */
  readonly clickHouseRoutes: FastifyPluginAsync;
  /** Updates the organisations of the settings. A new organisation can be queried when its account exists. */
  setOrganisations(organisations: readonly Pick<Organisation, 'id'>[]): void;
  /** Counts or deletes the rows of one person. Only the operator can do this, because no key gives this right. */
  readonly forget: Forget;
  /** True while the database can be queried. */
  ready(): boolean;
  /** State of the database. Undefined when the settings name no database. */
  condition(): DatabaseCondition | undefined;
  /** Resolves when the database is available for the first time, or when it can never be available. */
  readonly settled: Promise<undefined>;
  /** Writes the remaining events for a few seconds at most, saves the rest to disk, and stops the engine. */
  close(): Promise<void>;
}

export interface DatabaseCondition {
  /**
   * `away`: the database is not available yet, or not at the moment. `failing` and `missing`: an operator has to act.
   */
  readonly state: 'ready' | 'away' | 'failing' | 'missing';
  /** The reason when the state is not `ready`: a sentence without paths. */
  readonly message?: string;
  /** Old rows are kept, because the clock is not trusted. */
  readonly deletion?: 'held';
}

const MiB = 1024 * 1024;
const MAX_MEMORY_BYTES = 32 * MiB;
const MAX_SPILL_BYTES = 512 * MiB;
const DRAIN_MS = 5000;
const SAVE_AGAIN_MS = 1000;
/** Number of checks of the outbox in half a minute. */
const SETTLE_TRIES = 30_000 / BUFFER_LIMITS.tickMs;

/**
 * Opens the analytics of an installation (contract 1.5). Resolves at once: the database is started or connected in the
 * background, and events wait for it. Never rejects. When there is no database, queries get an error, and events are
 * dropped and counted.
 */
export async function openAnalytics(options: AnalyticsOptions): Promise<Analytics> {
  const { authenticate, clock, log, metrics } = options;
  const organisations = options.organisations.map(({ id }) => id);
  const wake = { now: (): void => undefined };
  const settled = Promise.withResolvers<undefined>();
  const engine = await openEngine(options, organisations, () => {
    settled.resolve(undefined);
    wake.now();
  });
  const missing = engine.state().kind === 'missing';
  if (missing) settled.resolve(undefined);
  const spill = missing ? undefined : await openSpillFolder(options);
  const memory = new BlockMemory();
  const outbox = new Outbox({
    insert: createInsert(engine.state),
    pause,
    spill,
    maxMemoryBytes: MAX_MEMORY_BYTES,
    onAcknowledged: ({ parts }) => {
      for (const part of parts) memory.giveBack(part);
    },
    log,
    metrics,
  });
  wake.now = () => outbox.wake();
  const buffer = new EventBuffer({
    outbox,
    privacy: options.settings.privacy,
    memory,
    clock,
    log,
    metrics,
  });
  metrics.gauge('guard_events_queued', () => buffer.queuedRows());
  metrics.gauge('guard_analytics_failing', () => Number(engine.state().kind === 'failing'));
  metrics.gauge('guard_analytics_deletion_held', () => Number(engine.stopsDeletion()));
  const ticker = setInterval(() => buffer.tick(), BUFFER_LIMITS.tickMs);
  const saver = setInterval(() => outbox.saveAgain(), SAVE_AGAIN_MS);

  const receive = createReceiver();
  const runQuery = createRunQuery({ state: engine.state, authenticate });
  const routeFor = (path: string, identify: Identify): FastifyPluginAsync =>
    createQueryRoute({ path, identify, runQuery });
  return {
    sink: missing ? { record: () => metrics.count('guard_events_total', 'dropped') } : buffer,
    accept: (destination, batch) => {
      const wholeBatch = receive(destination, batch);
      if (destination === 'disk') outbox.save(wholeBatch);
      else if (missing) metrics.count('guard_events_total', 'dropped', batch.rows);
      else outbox.put(wholeBatch);
    },
    waiting: () => outbox.waitingBatches(),
    runQuery,
    listColumns: createListColumns(engine.state),
    routes: routeFor('/query', ({ headers: { authorization } }) => {
      const holder = authenticate(authorization);
      return holder && { organisation: holder.organisation, authorization };
    }),
    routeFor,
    clickHouseRoutes: createClickHouseListener({ state: engine.state, authenticate, runQuery }),
    setOrganisations: (newOrganisations) =>
      engine.setOrganisations(newOrganisations.map(({ id }) => id)),
    forget: createForget(engine.state, () => settle(outbox)),
    ready: () => engine.state().kind === 'ready',
    condition: () => conditionOf(engine),
    settled: settled.promise,
    async close() {
      clearInterval(ticker);
      clearInterval(saver);
      buffer.close();
      // When the engine is not available, the events go to disk at once.
      const drainMs = engine.state().kind === 'ready' ? DRAIN_MS : 0;
      await outbox.close(AbortSignal.timeout(drainMs));
      await engine.close();
    },
  };
}

/**
 * Gives earlier events, also those of other threads, time to reach the outbox. Then waits, for at most half a minute,
 * until the outbox is empty. Resolves with the number of rows that remain in the outbox.
 */
async function settle(outbox: Outbox): Promise<number> {
  await sleep(BUFFER_LIMITS.batchAgeMs + 10 * BUFFER_LIMITS.tickMs);
  for (let tries = 0; tries < SETTLE_TRIES && outbox.rows() > 0; tries += 1)
    await sleep(BUFFER_LIMITS.tickMs);
  return outbox.rows();
}

function conditionOf(engine: Engine): DatabaseCondition {
  const state = engine.state();
  return {
    state: state.kind,
    ...(state.kind !== 'ready' && { message: state.message }),
    ...(engine.stopsDeletion() && { deletion: 'held' }),
  };
}

async function openEngine(
  { settings, clock, log, metrics }: AnalyticsOptions,
  organisations: readonly string[],
  onReady: () => void,
): Promise<Engine> {
  // The code of an engine is loaded only when the settings name the engine, so that a Guard without a database takes
  // less memory.
  if (settings.engine === 'clickhouse') {
    const { openRemote } = await import('./database/clickhouse.ts');
    return openRemote({ settings, organisations, log, onReady });
  }
  const library = await findEngineLibrary();
  if (library.kind === 'missing') {
    log('error', 'analytics_engine_missing', { reason: library.message });
    return {
      state: () => library,
      stopsDeletion: () => false,
      setOrganisations: () => undefined,
      close: () => Promise.resolve(),
    };
  }
  const { path } = settings;
  const { EmbeddedEngine } = await import('./database/embedded.ts');
  const libraryPath = library.path;
  return new EmbeddedEngine({ path, libraryPath, organisations, clock, log, metrics, onReady });
}

async function openSpillFolder(options: AnalyticsOptions): Promise<Spill | undefined> {
  const { settings, clock, log, metrics } = options;
  const directory =
    settings.engine === 'embedded' ? resolve(settings.path, 'spill') : settings.spill;
  if (directory === undefined) return undefined;
  const onLost = (rows: number): void => metrics.count('guard_events_total', 'dropped', rows);
  try {
    return await openSpill({ directory, maxBytes: MAX_SPILL_BYTES, clock, onLost });
  } catch (error) {
    log('error', 'analytics_spill_unusable', { reason: String(error) });
    return undefined;
  }
}

const pause: Pause = async (ms, signal) => {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
};
