import { setTimeout as sleep } from 'node:timers/promises';
import type { AnalyticsSettings } from '@guard/config/settings/schema';
import type { Log } from '@guard/config/contract/ports';
import { LOCAL_TABLE, organisationAccount, TABLE } from './accounts.ts';
import { Backoff } from '../backoff.ts';
import type { Database, Engine, EngineState } from './engine.ts';
import { createDatabaseClient } from './http-client.ts';
import { execute, prepareSchema } from './prepare.ts';
import { accountStatements } from './remote-accounts.ts';

interface RemoteOptions {
  readonly settings: Extract<AnalyticsSettings, { engine: 'clickhouse' }>;
  readonly organisations: readonly string[];
  readonly log: Log;
  readonly onReady: () => void;
}

const PING_EVERY_MS = 2000;
const PING_TIMEOUT_MS = 5000;
/** The cluster every ClickHouse server is shipped with: itself. */
const DEFAULT_CLUSTER = 'default';

/**
 * Uses a ClickHouse server or cluster over the interface the embedded engine has too. Returns at
 * once; keeps trying until the server is there, and notices when it goes.
 *
 * Each organisation has the account `guard_<organisation>`. Guard makes these accounts itself, so
 * the account of the settings needs, besides its rights on the two tables, CREATE USER, ALTER USER,
 * CREATE ROW POLICY, and SELECT on the tables WITH GRANT OPTION. Where it lacks them, somebody else
 * must have made them (remote-accounts.ts has the statements); an account that does not work keeps
 * the database from being ready, since nothing else may run an organisation's statements.
 */
export function openRemote(options: RemoteOptions): Engine {
  const { settings, log, onReady } = options;
  const stop = new AbortController();
  const closed = (): boolean => stop.signal.aborted;
  const backoff = new Backoff(250, 30_000);
  const database = describe(options);
  let state: EngineState = { kind: 'away', message: 'The analytics database is not connected.' };

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  }

  async function connected(): Promise<void> {
    while (!closed() && (await database.client.ping(PING_TIMEOUT_MS))) {
      await pause(PING_EVERY_MS);
    }
  }

  async function supervise(): Promise<void> {
    while (!closed()) {
      const problem = await prepare(database, settings.cluster, options);
      if (problem === undefined) {
        backoff.reset();
        state = { kind: 'ready', database };
        log('info', 'analytics_ready');
        onReady();
        await connected();
      }
      if (closed()) return;
      state = { kind: 'away', message: 'The analytics database is not connected.' };
      log('error', 'analytics_database_away', { reason: problem ?? 'it stopped answering' });
      await pause(backoff.next());
    }
  }

  const supervised = supervise();
  return {
    state: () => state,
    async close() {
      stop.abort();
      await supervised;
      database.client.close();
    },
  };
}

function describe({ settings, organisations }: RemoteOptions): Database {
  const url = new URL(settings.url);
  const known = new Set(organisations);
  return {
    client: createDatabaseClient(url),
    writer: { user: settings.user, password: settings.password },
    insertInto: settings.cluster === undefined ? LOCAL_TABLE : TABLE,
    account: (organisation) =>
      known.has(organisation) ? organisationAccount(organisation, settings.password) : undefined,
    secrets: [url.host, url.hostname],
  };
}

/** Schema, then accounts, then one question under each account. Undefined when all is in place. */
async function prepare(
  database: Database,
  cluster: string | undefined,
  { organisations, log }: RemoteOptions,
): Promise<string | undefined> {
  const { client, writer } = database;
  const name = cluster ?? DEFAULT_CLUSTER;
  const schema = await prepareSchema(client, writer, name, cluster !== undefined);
  if (schema !== undefined) return schema;
  for (const organisation of organisations) {
    for (const sql of accountStatements(organisation, writer.password, cluster)) {
      const refused = await execute(client, writer, sql);
      if (refused === undefined) continue;
      log('warn', 'analytics_account_not_made', { organisation, reason: refused });
      break;
    }
    const account = organisationAccount(organisation, writer.password);
    const unusable = await execute(client, account, `SELECT 1 FROM ${TABLE} LIMIT 0`);
    if (unusable !== undefined) return `${account.user}: ${unusable}`;
  }
  return undefined;
}
