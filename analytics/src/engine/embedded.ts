import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log, Metrics } from '@guard/config/contract/ports';
import { configXml, CLUSTER, usersXml } from './access-config.ts';
import { LOCAL_TABLE, organisationAccount } from './accounts.ts';
import { Backoff } from '../backoff.ts';
import type { Database, Engine, EngineState } from './engine.ts';
import { freeLoopbackPort, startEngineProcess } from './engine-process.ts';
import type { EngineProcess } from './engine-process.ts';
import { createDatabaseClient } from './http-client.ts';
import type { DatabaseClient } from './http-client.ts';
import { prepareSchema } from './prepare.ts';

interface EmbeddedOptions {
  /** Folder of the data, the spilled events and the account files; made with mode 0700. */
  readonly path: string;
  readonly libraryPath: string;
  readonly organisations: readonly string[];
  readonly log: Log;
  readonly metrics: Metrics;
  /** Called each time the database can be asked (again). */
  readonly onReady: () => void;
}

/** An engine in a process of its own, with what a test needs to hurt it. */
export interface EmbeddedEngine extends Engine {
  /** Process id of the running engine. */
  pid(): number | undefined;
}

const START_TIMEOUT_MS = 30_000;
const START_POLL_MS = 25;
const PING_EVERY_MS = 2000;
const PING_TIMEOUT_MS = 5000;
const PINGS_MISSED = 3;
const GiB = 1024 ** 3;
/** Share of the memory of the machine, or of the container, that the engine may take, within bounds. */
const MAX_MEMORY_BYTES = Math.round(Math.min(2 * GiB, Math.max(GiB / 2, memoryBytes() / 4)));

/**
 * Runs ClickHouse in a child process and keeps it running: it is pinged, killed when it does not
 * answer, and started again with back-off. Returns at once; `state` tells when it can be asked.
 */
export function openEmbedded(options: EmbeddedOptions): EmbeddedEngine {
  const { log, metrics, onReady } = options;
  const path = resolve(options.path);
  const stop = new AbortController();
  const closed = (): boolean => stop.signal.aborted;
  const backoff = new Backoff(100, 30_000);
  let organisations = options.organisations;
  let outdated = new AbortController();
  /** Settled when a process that was started for new accounts can be asked, or is known to fail. */
  let renewed = Promise.withResolvers<undefined>();
  let state: EngineState = { kind: 'away', message: 'The analytics database is starting.' };
  let child: EngineProcess | undefined;

  /** One life of the engine, from its start to its end; resolves with the reason of the end. */
  async function live(): Promise<string> {
    outdated = new AbortController();
    const told = AbortSignal.any([stop.signal, outdated.signal]);
    const { database, process } = await start(path, options.libraryPath, organisations);
    child = process;
    try {
      const problem = await becomeReady(database, process, stop.signal);
      if (problem !== undefined) return problem;
      state = { kind: 'ready', database };
      renewed.resolve(undefined);
      log('info', 'analytics_ready', { pid: process.pid ?? 0 });
      onReady();
      return await watch(database.client, process, told, () => backoff.reset());
    } finally {
      leave();
      database.client.close();
      await process.kill();
    }
  }

  /** Nobody can ask any more: for a moment when it is for new accounts, else nobody knows how long. */
  function leave(): void {
    const message = 'The analytics database is starting again.';
    renewed.resolve(undefined);
    if (outdated.signal.aborted && !closed()) {
      renewed = Promise.withResolvers();
      state = { kind: 'away', message, back: renewed.promise };
    } else {
      state = { kind: 'away', message };
    }
  }

  async function supervise(): Promise<void> {
    while (!closed()) {
      const reason = await live().catch(String);
      // Also where it ended before it could be asked: nobody may wait for it any more.
      if (closed() || !outdated.signal.aborted) leave();
      if (closed()) return;
      if (outdated.signal.aborted) continue;
      log('error', 'analytics_engine_ended', { reason });
      await sleep(backoff.next(), undefined, { signal: stop.signal }).catch(() => undefined);
      metrics.count('guard_analytics_restarts_total');
    }
  }

  const supervised = supervise();
  return {
    state: () => state,
    pid: () => child?.pid,
    // Accounts are read once, at the start of the process, which takes about half a second: no
    // statement can make one (514), and `SYSTEM RELOAD USERS` reads nothing.
    setOrganisations(next) {
      const isNew = next.some((id) => !organisations.includes(id));
      organisations = next;
      if (isNew) outdated.abort();
    },
    async close() {
      stop.abort();
      await child?.kill();
      await supervised;
    },
  };
}

/** Writes the account files and starts a process on them. Passwords live as long as the process. */
async function start(
  path: string,
  libraryPath: string,
  organisations: readonly string[],
): Promise<{ database: Database; process: EngineProcess }> {
  const dataPath = resolve(path, 'engine');
  const configPath = resolve(path, 'access', 'config.xml');
  const usersPath = resolve(path, 'access', 'users.xml');
  const writer = { user: 'writer', password: randomBytes(32).toString('hex') };
  for (const folder of [path, dataPath, resolve(path, 'access')]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  const mode = { mode: 0o600 };
  await writeFile(usersPath, usersXml(writer, organisations), mode);
  await writeFile(configPath, configXml(usersPath, MAX_MEMORY_BYTES), mode);

  const port = await freeLoopbackPort();
  const process = startEngineProcess({ libraryPath, dataPath, configPath, port });
  const known = new Set(organisations);
  return {
    process,
    database: {
      client: createDatabaseClient(new URL(`http://127.0.0.1:${port}/`)),
      writer,
      insertInto: LOCAL_TABLE,
      account: (organisation) =>
        known.has(organisation) ? organisationAccount(organisation, writer.password) : undefined,
      secrets: [dataPath, path],
    },
  };
}

/** Waits for the listener and applies the schema. Undefined when done, else what went wrong. */
async function becomeReady(
  { client, writer }: Database,
  process: EngineProcess,
  signal: AbortSignal,
): Promise<string | undefined> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  let lastWords: string | undefined;
  void process.ended.then((words) => (lastWords = words));
  while (!(await client.ping(PING_TIMEOUT_MS))) {
    if (lastWords !== undefined) return lastWords;
    if (deadline.aborted) return 'it did not start in time';
    await sleep(START_POLL_MS);
  }
  return prepareSchema(client, writer, CLUSTER, 'one_server');
}

/** Resolves when the process ended by itself or stopped answering, or when it is `told` to end. */
async function watch(
  client: DatabaseClient,
  process: EngineProcess,
  told: AbortSignal,
  healthy: () => void,
): Promise<string> {
  const over = new AbortController();
  const ended = process.ended.finally(() => over.abort());
  const either = AbortSignal.any([told, over.signal]);
  let missed = 0;
  while (missed < PINGS_MISSED) {
    await sleep(PING_EVERY_MS, undefined, { signal: either }).catch(() => undefined);
    if (either.aborted) return told.aborted ? 'it was told to end' : ended;
    if (await client.ping(PING_TIMEOUT_MS)) {
      missed = 0;
      healthy();
    } else {
      missed += 1;
    }
  }
  return 'it stopped answering';
}

/** Node says 0 where nothing constrains it, and more than there is where the constraint is no number. */
function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
