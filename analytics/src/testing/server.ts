import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLUSTER, configXml, newQueryPath, usersXml } from '../database/access-config.ts';
import { startEngineProcess } from '../database/engine-process.ts';
import { freePort } from '../../../test/kit/free-port.ts';
import type { EngineProcess } from '../database/engine-process.ts';
import { createDatabaseClient } from '../database/database-client.ts';
import type { Account } from '../database/database-client.ts';
import { findEngineLibrary } from '../database/library.ts';
import { ACCOUNT_SETTINGS } from '../database/accounts.ts';
import { askDirectly } from './ask-directly.ts';
import { until } from './until.ts';

/** An empty ClickHouse server that a test can stop and start. */
export interface DatabaseServer {
  readonly url: string;
  readonly writer: Account;
  /** A folder for the test. `close` removes it. */
  readonly folder: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /**
   * Runs a statement with the writing account, and returns the trimmed answer. The account may also see and start
   * merges.
   */
  ask(sql: string): Promise<string>;
  close(): Promise<void>;
}

const writer: Account = { user: 'writer', password: 'the password of the writer' };
const MAX_MEMORY_BYTES = 2 * 1024 ** 3;

/** Returns a server that is not started yet. `settings` are the settings of the organisations' accounts. */
export async function describeServer(
  organisations: readonly string[],
  settings = ACCOUNT_SETTINGS,
  maxMemoryBytes = MAX_MEMORY_BYTES,
): Promise<DatabaseServer> {
  const library = await findEngineLibrary();
  if (library.kind === 'missing') throw new Error(library.message);
  const folder = mkdtempSync(join(tmpdir(), 'guard-server-'));
  const dataPath = join(folder, 'engine');
  const usersPath = join(folder, 'users.xml');
  const configPath = join(folder, 'config.xml');
  mkdirSync(dataPath);
  const mayLook =
    '<query>GRANT SELECT ON system.merges</query><query>GRANT OPTIMIZE ON *.*</query>';
  const users = usersXml(writer, organisations, settings).replace(
    /<query>GRANT SELECT ON system/,
    `${mayLook}$&`,
  );
  writeFileSync(usersPath, users);
  // Every server has its own cluster with the name `default`.
  const queryPath = newQueryPath();
  const plan = { usersPath, queryPath, maxMemoryBytes };
  const config = configXml(plan).replaceAll(`${CLUSTER}>`, 'default>');
  writeFileSync(configPath, config);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}${queryPath}`;
  const client = createDatabaseClient(new URL(url));
  let engine: EngineProcess | undefined;
  const kill = async (): Promise<void> => {
    await engine?.kill();
  };
  return {
    url,
    writer,
    folder,
    async start() {
      engine = startEngineProcess({ libraryPath: library.path, dataPath, configPath, port });
      await until('the server answers', () => client.ping(1000));
    },
    kill,
    ask: (sql) => askDirectly(client, writer, sql),
    async close() {
      client.close();
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
