import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type {
  Asking,
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
import { BUFFER, EventBuffer } from './events/buffer.ts';
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
export type { Forget } from './database/forget.ts';
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

/** Who sends a request; undefined for a stranger. */
type Identify = (request: FastifyRequest) => Asking | undefined;

/** Remembers events and answers questions about them. */
export interface Analytics {
  readonly sink: EventSink;
  /** Takes a batch that another thread has encoded, or what it has of one by now, for the disk. */
  accept(to: 'outbox' | 'disk', batch: Batch): void;
  /** Batches that wait for the database in memory. */
  waiting(): number;
  readonly runQuery: RunQuery;
  readonly listColumns: ListColumns;
  /** `POST /query` for holders of a key. It may stand beside other routes. */
  readonly routes: FastifyPluginAsync;
  /** The same at another path, for callers who are known in another way. */
  readonly routeFor: (path: string, identify: Identify) => FastifyPluginAsync;
  /** ClickHouse's HTTP interface for programs that speak it: the same statements, keys and limits. */
  readonly clickHouseRoutes: FastifyPluginAsync;
  /** Tells that the settings now name these; each can be asked for once its account is made. */
  setOrganisations(organisations: readonly Pick<Organisation, 'id'>[]): void;
  /** Counts or deletes the rows of one person. For the operator alone: no key gives a right to it. */
  readonly forget: Forget;
  /** True while the database can be asked. */
  ready(): boolean;
  /** How the database is; undefined where the settings name none. */
  condition(): DatabaseCondition | undefined;
  /** Resolves when the database can be asked for the first time, or when it is clear that it never can. */
  readonly settled: Promise<undefined>;
  /** Writes what is left, for a few seconds at most; the rest goes to disk. Then stops the engine. */
  close(): Promise<void>;
}

/** What an operator has to know of the database. */
export interface DatabaseCondition {
  /** `away`: not yet there, or not at the moment. `failing` and `missing`: an operator has to act. */
  readonly state: 'ready' | 'away' | 'failing' | 'missing';
  /** A sentence, where it is not ready; without paths. */
  readonly message?: string;
  /** Rows older than their time are kept, because the clock is not believed. */
  readonly deletion?: 'held';
}

const MiB = 1024 * 1024;
const MAX_MEMORY_BYTES = 32 * MiB;
const MAX_SPILL_BYTES = 512 * MiB;
const DRAIN_MS = 5000;
const SAVE_AGAIN_MS = 1000;
/** Half a minute of looks at the outbox. */
const SETTLE_TRIES = 30_000 / BUFFER.tickMs;

/**
 * Opens the analytics of an installation (contract 1.5). Resolves at once: the database starts, or is
 * connected to, in the background, and events wait for it. Never rejects: without a database
 * everything else runs on, queries are answered with what is missing, and dropped events are counted.
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
    done: ({ parts }) => {
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
  metrics.gauge('guard_events_queued', () => buffer.queued());
  metrics.gauge('guard_analytics_failing', () => Number(engine.state().kind === 'failing'));
  metrics.gauge('guard_analytics_deletion_held', () => Number(engine.holdsDeletion()));
  const ticker = setInterval(() => buffer.tick(), BUFFER.tickMs);
  const saver = setInterval(() => outbox.saveAgain(), SAVE_AGAIN_MS);

  const receive = createReceiver();
  const runQuery = createRunQuery({ state: engine.state, authenticate });
  const routeFor = (path: string, identify: Identify): FastifyPluginAsync =>
    createQueryRoute({ path, identify, runQuery });
  return {
    sink: missing ? { record: () => metrics.count('guard_events_total', 'dropped') } : buffer,
    accept: (to, batch) => {
      const whole = receive(to, batch);
      if (to === 'disk') outbox.save(whole);
      else if (missing) metrics.count('guard_events_total', 'dropped', batch.rows);
      else outbox.put(whole);
    },
    waiting: () => outbox.waiting(),
    runQuery,
    listColumns: createListColumns(engine.state),
    routes: routeFor('/query', ({ headers: { authorization } }) => {
      const holder = authenticate(authorization);
      return holder && { organisation: holder.organisation, authorization };
    }),
    routeFor,
    clickHouseRoutes: createClickHouseListener({ state: engine.state, authenticate, runQuery }),
    setOrganisations: (next) => engine.setOrganisations(next.map(({ id }) => id)),
    forget: createForget(engine.state, () => settle(outbox)),
    ready: () => engine.state().kind === 'ready',
    condition: () => conditionOf(engine),
    settled: settled.promise,
    async close() {
      clearInterval(ticker);
      clearInterval(saver);
      buffer.close();
      // An engine that is away now is not waited for: its events go to disk at once.
      const drainMs = engine.state().kind === 'ready' ? DRAIN_MS : 0;
      await outbox.close(AbortSignal.timeout(drainMs));
      await engine.close();
    },
  };
}

/**
 * Waits until the events that were recorded before, in other threads too, have had the time to reach the outbox, and
 * it has been empty, but not for ever. Resolves with how many rows are left in it.
 */
async function settle(outbox: Outbox): Promise<number> {
  await sleep(BUFFER.batchAgeMs + 10 * BUFFER.tickMs);
  for (let tries = 0; tries < SETTLE_TRIES && outbox.rows() > 0; tries += 1)
    await sleep(BUFFER.tickMs);
  return outbox.rows();
}

function conditionOf(engine: Engine): DatabaseCondition {
  const state = engine.state();
  return {
    state: state.kind,
    ...(state.kind !== 'ready' && { message: state.message }),
    ...(engine.holdsDeletion() && { deletion: 'held' }),
  };
}

async function openEngine(
  { settings, clock, log, metrics }: AnalyticsOptions,
  organisations: readonly string[],
  onReady: () => void,
): Promise<Engine> {
  // Each is loaded where it is used: a Guard without a database takes less memory.
  if (settings.engine === 'clickhouse') {
    const { openRemote } = await import('./database/clickhouse.ts');
    return openRemote({ settings, organisations, log, onReady });
  }
  const library = await findEngineLibrary();
  if (library.kind === 'missing') {
    log('error', 'analytics_engine_missing', { reason: library.message });
    return {
      state: () => library,
      holdsDeletion: () => false,
      setOrganisations: () => undefined,
      close: () => Promise.resolve(),
    };
  }
  const { path } = settings;
  const { EmbeddedEngine } = await import('./database/embedded.ts');
  return new EmbeddedEngine({
    path,
    libraryPath: library.path,
    organisations,
    clock,
    log,
    metrics,
    onReady,
  });
}

async function openSpillFolder(options: AnalyticsOptions): Promise<Spill | undefined> {
  const { settings, clock, log, metrics } = options;
  const directory =
    settings.engine === 'embedded' ? resolve(settings.path, 'spill') : settings.spill;
  if (directory === undefined) return undefined;
  const lost = (rows: number): void => metrics.count('guard_events_total', 'dropped', rows);
  try {
    return await openSpill({ directory, maxBytes: MAX_SPILL_BYTES, clock, lost });
  } catch (error) {
    log('error', 'analytics_spill_unusable', { reason: String(error) });
    return undefined;
  }
}

const pause: Pause = async (ms, signal) => {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
};
