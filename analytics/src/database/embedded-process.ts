import { randomBytes } from 'node:crypto';
import { chmod, constants, mkdir, open } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configXml, CLUSTER, newQueryPath, usersXml } from './access-config.ts';
import { LOCAL_TABLE, organisationAccount } from './accounts.ts';
import type { Database } from './engine.ts';
import { type HeldPort, holdLoopbackPort, startEngineProcess } from './engine-process.ts';
import type { EngineProcess } from './engine-process.ts';
import { createDatabaseClient } from './database-client.ts';
import type { DatabaseClient } from './database-client.ts';
import { prepareSchema } from './prepare.ts';

/** One process of the embedded engine: its start, the wait until it is ready, and its supervision. */

/**
 * The time limit of a start. It ends only a process that hangs, because the end of a process is noticed at once. A
 * start can take minutes: the engine reads all parts of the tables at a low priority, while another program may use the
 * processor. With a shorter time limit a slow start would be repeated without end.
 */
const START_TIMEOUT_MS = 300_000;
const START_POLL_MS = 25;
const PING_EVERY_MS = 2000;
const PING_TIMEOUT_MS = 5000;
const MAX_MISSED_PINGS = 3;
/** The sizes of account and settings files are multiples of this number. So a small change needs no more disk space. */
const FILE_STEP_BYTES = 16 * 1024;
const GiB = 1024 ** 3;
/** The memory of the engine: a quarter of the machine's or container's memory, from 0.5 GiB to 2 GiB. */
const MAX_MEMORY_BYTES = Math.round(Math.min(2 * GiB, Math.max(GiB / 2, memoryBytes() / 4)));

interface EnginePlan {
  readonly path: string;
  readonly libraryPath: string;
  readonly organisations: readonly string[];
  readonly stopsDeletion: boolean;
}

/** A started process. It may not answer queries yet. */
interface StartedEngine {
  readonly database: Database;
  readonly process: EngineProcess;
  readonly heldPort: HeldPort;
}

/** Writes the account files and starts a process with them. The passwords are valid until the process ends. */
export async function startServer({
  path,
  libraryPath,
  organisations,
  stopsDeletion,
}: EnginePlan): Promise<StartedEngine> {
  const dataPath = resolve(path, 'engine');
  const configPath = resolve(path, 'access', 'config.xml');
  const usersPath = resolve(path, 'access', 'users.xml');
  const writer = { user: 'writer', password: randomBytes(32).toString('hex') };
  for (const folder of [path, dataPath, resolve(path, 'access')]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  // `mkdir` does not change the mode of an existing folder. A folder from a backup can have a wrong mode.
  for (const folder of [dataPath, resolve(path, 'access')]) await chmod(folder, 0o700);
  await overwrite(usersPath, usersXml(writer, organisations));
  const queryPath = newQueryPath();
  const configPlan = { usersPath, maxMemoryBytes: MAX_MEMORY_BYTES, queryPath, stopsDeletion };
  await overwrite(configPath, configXml(configPlan));

  const heldPort = await holdLoopbackPort();
  const { port } = heldPort;
  const process = startEngineProcess({
    libraryPath,
    dataPath,
    configPath,
    port,
    stopsDeletion,
  });
  const organisationIds = new Set(organisations);
  return {
    process,
    heldPort,
    database: {
      client: createDatabaseClient(new URL(queryPath, `http://127.0.0.1:${port}`)),
      writer,
      insertInto: LOCAL_TABLE,
      cluster: undefined,
      account: (organisation) =>
        organisationIds.has(organisation)
          ? organisationAccount(organisation, writer.password)
          : undefined,
      secrets: [dataPath, path, queryPath],
    },
  };
}

/**
 * Writes a file that the next engine process reads once. The file is overwritten in place, because a full disk has no
 * room for a second file. If a crash leaves the file incomplete, the next start overwrites it before an engine reads
 * it.
 */
async function overwrite(path: string, text: string): Promise<void> {
  await using file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  await file.chmod(0o600);
  const length = Math.ceil(Buffer.byteLength(text) / FILE_STEP_BYTES) * FILE_STEP_BYTES;
  const body = Buffer.alloc(length, ' ');
  body.write(text);
  await file.writeFile(body);
  await file.truncate(length);
}

/** Waits for the listener and applies the schema. Resolves with undefined on success, else with the error. */
export async function waitUntilReady(
  { database, process, heldPort }: StartedEngine,
  signal: AbortSignal,
  waitForRoom: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const { client } = database;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  let lastWords: string | undefined;
  void process.ended.then((words) => (lastWords = words));
  try {
    while (!(await client.ping(PING_TIMEOUT_MS))) {
      if (lastWords !== undefined) return lastWords;
      if (deadline.aborted) return 'it did not start in time';
      await sleep(START_POLL_MS);
    }
  } finally {
    heldPort.release();
  }
  return prepareSchema(database, CLUSTER, 'one_server', waitForRoom);
}

/** Resolves when the process has ended, when it no longer answers, or when the signal `stop` fires. */
export async function watchServer(
  client: DatabaseClient,
  process: EngineProcess,
  stop: AbortSignal,
  onHealthy: () => void,
): Promise<string> {
  const processEnd = new AbortController();
  const endReason = process.ended.finally(() => processEnd.abort());
  const stopOrEnd = AbortSignal.any([stop, processEnd.signal]);
  let missedPings = 0;
  while (missedPings < MAX_MISSED_PINGS) {
    await sleep(PING_EVERY_MS, undefined, { signal: stopOrEnd }).catch(() => undefined);
    if (stopOrEnd.aborted) return stop.aborted ? 'it was told to end' : endReason;
    if (await client.ping(PING_TIMEOUT_MS)) {
      missedPings = 0;
      onHealthy();
    } else {
      missedPings += 1;
    }
  }
  return 'it stopped answering';
}

/**
 * Node returns 0 when it finds no limit. When the limit is `max` and not a number, Node returns more than the real
 * memory.
 */
function memoryBytes(): number {
  const constrainedBytes = process.constrainedMemory();
  return constrainedBytes > 0 ? Math.min(constrainedBytes, totalmem()) : totalmem();
}
