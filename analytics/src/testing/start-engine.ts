import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { freePort } from '../../../test/kit/free-port.ts';
import { configXml, newQueryPath } from '../database/access-config.ts';
import type { Account, DatabaseClient } from '../database/database-client.ts';
import { createDatabaseClient } from '../database/database-client.ts';
import { type EngineProcess, startEngineProcess } from '../database/engine-process.ts';
import { findEngineLibrary } from '../database/library.ts';
import { execute } from '../database/prepare.ts';

const PORTS_TRIED = 3;

/**
 * An engine with the account `writer`. Each test needs its own account, so that it cannot reach the engine of another
 * test.
 */
interface StartedEngine {
  readonly engine: EngineProcess;
  readonly client: DatabaseClient;
  readonly url: string;
}

/**
 * Starts an engine with the accounts in `users.xml` of a folder, and waits until it answers `writer`. When another
 * process opens the port first, the engine ends, and the next port is tried.
 *
 * @throws with the last output of the engine when it ends on each port
 */
export async function startEngine(
  folder: string,
  writer: Account,
  maxMemoryBytes: number,
): Promise<StartedEngine> {
  const library = await findEngineLibrary();
  if (library.kind === 'missing') throw new Error(library.message);
  const dataPath = join(folder, 'engine');
  const configPath = join(folder, 'config.xml');
  const queryPath = newQueryPath();
  const usersPath = join(folder, 'users.xml');
  mkdirSync(dataPath);
  writeFileSync(configPath, configXml({ usersPath, maxMemoryBytes, queryPath }));
  let lastWords = '';
  for (let attempt = 0; attempt < PORTS_TRIED; attempt += 1) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}${queryPath}`;
    const client = createDatabaseClient(new URL(url));
    const engine = startEngineProcess({ libraryPath: library.path, dataPath, configPath, port });
    const askingEnd = new AbortController();
    const endReason = await Promise.race([engine.ended, answers(client, writer, askingEnd.signal)]);
    if (endReason === undefined) return { engine, client, url };
    askingEnd.abort();
    lastWords = endReason;
    client.close();
  }
  throw new Error(`The engine ended on ${PORTS_TRIED} ports: ${lastWords}`);
}

/**
 * Sends requests in parallel and without pauses, even before the engine listens. The engine has to tolerate these
 * requests.
 */
async function answers(
  client: DatabaseClient,
  writer: Account,
  askingEnd: AbortSignal,
): Promise<undefined> {
  const ask = () => execute(client, writer, 'SELECT 1');
  while (!askingEnd.aborted) {
    const failures = await Promise.all([ask(), ask(), ask(), ask()]);
    if (failures.includes(undefined)) return undefined;
    await immediate();
  }
  return undefined;
}
