import { setTimeout as sleep } from 'node:timers/promises';
import type { AnalyticsSettings } from '@guard/config/settings/schema';
import type { Log } from '@guard/config/contract/ports';
import {
  ACCOUNT_SETTINGS,
  DATABASE,
  INDEX_SETTINGS,
  PART_SETTINGS,
  LOCAL_TABLE,
  organisationAccount,
  rowFilter,
  sha256Hex,
  TABLE,
} from './accounts.ts';
import { Backoff } from '@guard/config/time/backoff';
import type { Database, Engine, EngineState } from './engine.ts';
import { createDatabaseClient } from './database-client.ts';
import {
  CLUSTER_PATIENCE_S,
  execute,
  findUnfit,
  hasServerWithoutTables,
  onCluster,
  prepareSchema,
  type Unfit,
} from './prepare.ts';
import { quoteName, quoteText } from './schema.ts';

type RemoteSettings = Extract<AnalyticsSettings, { engine: 'clickhouse' }>;

interface RemoteOptions {
  readonly settings: RemoteSettings;
  readonly organisations: readonly string[];
  readonly log: Log;
  readonly onReady: () => void;
  /** The time between two checks for servers that have joined the cluster. */
  readonly lookEveryMs?: number;
}

const PING_EVERY_MS = 2000;
const PING_TIMEOUT_MS = 5000;
const LOOK_EVERY_MS = 30_000;
/** Accounts that are created at the same time. With 1,000 organisations most of the time is waiting for answers. */
const ACCOUNTS_AT_ONCE = 8;
/** Every ClickHouse server has this cluster, which consists of itself. */
const DEFAULT_CLUSTER = 'default';
const AWAY: EngineState = { kind: 'away', message: 'The analytics database is not connected.' };

/**
 * Uses a ClickHouse server or cluster through the same interface as the embedded engine. Returns at once. It retries
 * until the server answers, and notices when the server stops answering.
 *
 * Each organisation has the account `guard_<organisation>`. Guard creates these accounts itself, so the account of the
 * settings needs, in addition to its rights on the two tables, CREATE USER, ALTER USER, CREATE ROW POLICY, and SELECT
 * on the tables WITH GRANT OPTION. Without these rights an administrator has to create the accounts with the statements
 * of accountStatements(). The database is not ready until every account works, because no other account may run an
 * organisation's statements.
 */
export function openRemote(options: RemoteOptions): Engine {
  const { settings, log, onReady, lookEveryMs = LOOK_EVERY_MS } = options;
  const stop = new AbortController();
  const closed = (): boolean => stop.signal.aborted;
  const backoff = new Backoff(250, 10_000);
  /** Organisations whose account works. */
  const open = new Set<string>();
  /** Those whose account was created or updated on the present servers. */
  const made = new Set<string>();
  const database = describe(settings, open);
  let organisations = options.organisations;
  let hurry = new AbortController();
  let state: EngineState = AWAY;

  async function pause(ms: number): Promise<void> {
    hurry = new AbortController();
    const signal = AbortSignal.any([stop.signal, hurry.signal]);
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }

  /** Undefined when every organisation's account works. Otherwise the reason why one does not. */
  async function openAccounts(): Promise<string | undefined> {
    let lacking: string | undefined;
    let patienceS = CLUSTER_PATIENCE_S;
    await eachAtOnce(organisations, async (organisation) => {
      if (closed() || made.has(organisation)) return;
      const startedAt = performance.now();
      const problem = await openAccount(database, { organisation, patienceS }, log);
      // A server is away, so the other organisations wait only briefly for it.
      if (performance.now() - startedAt > 1000 * patienceS) patienceS = 1;
      const mark = problem === undefined ? 'add' : 'delete';
      for (const accounts of [open, made]) accounts[mark](organisation);
      lacking ??= problem;
    });
    return lacking;
  }

  async function connected(): Promise<void> {
    let told: string | undefined;
    let lookedAt = performance.now();
    while (!closed() && (await database.client.ping(PING_TIMEOUT_MS))) {
      if (performance.now() - lookedAt >= lookEveryMs) {
        if (await gaveTables(database, settings, log)) made.clear();
        lookedAt = performance.now();
      }
      const reason = await openAccounts();
      if (reason !== undefined && reason !== told) {
        log('error', 'analytics_account_unusable', { reason });
      }
      told = reason;
      await pause(PING_EVERY_MS);
    }
  }

  async function supervise(): Promise<void> {
    while (!closed()) {
      made.clear();
      const unfit = await prepareTables(database, settings);
      const problem = unfit?.message ?? (await openAccounts());
      if (problem === undefined) {
        backoff.reset();
        state = { kind: 'ready', database };
        log('info', 'analytics_ready');
        onReady();
        await connected();
      }
      if (closed()) return;
      state = unfit?.isTooOld === true ? { kind: 'failing', message: unfit.message } : AWAY;
      log('error', 'analytics_database_away', { reason: problem ?? 'it stopped answering' });
      await pause(backoff.next());
    }
  }

  const supervised = supervise();
  return {
    state: () => state,
    holdsDeletion: () => false,
    setOrganisations(next) {
      organisations = next;
      hurry.abort();
    },
    async close() {
      stop.abort();
      await supervised;
      database.client.close();
    },
  };
}

function describe(settings: RemoteSettings, open: ReadonlySet<string>): Database {
  const url = new URL(settings.url);
  return {
    client: createDatabaseClient(url),
    writer: { user: settings.user, password: settings.password },
    insertInto: settings.cluster === undefined ? LOCAL_TABLE : TABLE,
    cluster: settings.cluster,
    account: (organisation) =>
      open.has(organisation) ? organisationAccount(organisation, settings.password) : undefined,
    secrets: [url.host, url.hostname],
  };
}

/** Checks the server's version and updates its tables. Undefined on success. */
async function prepareTables(
  { client, writer }: Database,
  { cluster, replicated = false }: RemoteSettings,
): Promise<Unfit | undefined> {
  const unfit = await findUnfit(client, writer);
  if (unfit !== undefined) return unfit;
  const ofCluster = replicated ? 'replicated_cluster' : 'cluster';
  const layout = cluster === undefined ? 'one_server' : ofCluster;
  const message = await prepareSchema(client, writer, cluster ?? DEFAULT_CLUSTER, layout);
  return message === undefined ? undefined : { message, isTooOld: false };
}

/** True if servers have joined the cluster and got their tables. They still need the accounts. */
async function gaveTables(
  database: Database,
  settings: RemoteSettings,
  log: Log,
): Promise<boolean> {
  const { client, writer, cluster } = database;
  if (cluster === undefined || !(await hasServerWithoutTables(client, writer, cluster)))
    return false;
  const unfit = await prepareTables(database, settings);
  if (unfit === undefined) log('info', 'analytics_server_joined');
  else log('error', 'analytics_tables_not_made', { reason: unfit.message });
  return unfit === undefined;
}

interface NewAccount {
  readonly organisation: string;
  /** Time limit in seconds for each statement on all servers of the cluster. */
  readonly patienceS: number;
}

async function eachAtOnce(
  organisations: readonly string[],
  act: (organisation: string) => Promise<void>,
): Promise<void> {
  const left = organisations.values();
  const next = async (): Promise<void> => {
    for (const organisation of left) await act(organisation);
  };
  await Promise.all(Array.from({ length: ACCOUNTS_AT_ONCE }, next));
}

/** Creates an account and runs one query with it. Undefined on success. */
async function openAccount(
  { client, writer, cluster }: Database,
  { organisation, patienceS }: NewAccount,
  log: Log,
): Promise<string | undefined> {
  let refused: string | undefined;
  const parameters = cluster === undefined ? {} : onCluster(patienceS);
  for (const sql of accountStatements(organisation, writer.password, cluster)) {
    refused = await execute(client, writer, sql, parameters);
    if (refused !== undefined) break;
  }
  const account = organisationAccount(organisation, writer.password);
  const unusable = await execute(client, account, wallProbe(organisation));
  if (unusable !== undefined) return [`${account.user}: ${unusable}`, refused].join(' ').trim();
  if (refused !== undefined) {
    log('warn', 'analytics_account_not_made', { organisation, reason: refused });
  }
  return undefined;
}

/**
 * A statement that fails when an account can read a row of another organisation. Servers of a cluster without a shared
 * `interserver` secret may query each other as another account, which has no row policy.
 */
function wallProbe(organisation: string): string {
  const foreign = `SELECT 1 FROM ${TABLE} WHERE NOT (${rowFilter(organisation)}) LIMIT 1`;
  return `SELECT throwIf(count() > 0, 'this account reads other organisations') FROM (${foreign})`;
}

/**
 * The statements that create or update one organisation's account on a ClickHouse server. They can be repeated. The row
 * policy comes before the first right.
 *
 * @param cluster runs them on every server of this cluster. Undefined: on the one server.
 */
export function accountStatements(
  organisation: string,
  secret: string,
  cluster: string | undefined,
): string[] {
  const { user, password } = organisationAccount(organisation, secret);
  const name = quoteName(user);
  const scope = cluster === undefined ? '' : ` ON CLUSTER ${quoteName(cluster)}`;
  const identity = `IDENTIFIED WITH sha256_hash BY ${quoteText(sha256Hex(password))}`;
  const policy = `${name}${scope} ON ${DATABASE}.${LOCAL_TABLE}`;
  return [
    `CREATE USER IF NOT EXISTS ${name}${scope} ${identity}`,
    `ALTER USER ${name}${scope} ${identity} SETTINGS ${constants(ACCOUNT_SETTINGS)}`,
    `CREATE ROW POLICY OR REPLACE ${policy} USING ${rowFilter(organisation)} TO ${name}`,
    `GRANT${scope} SELECT ON ${DATABASE}.${LOCAL_TABLE}, SELECT ON ${DATABASE}.${TABLE} TO ${name}`,
    // Last, because an old server does not have these settings, and the account works without them.
    `ALTER USER ${name}${scope} ADD SETTINGS ${constants(PART_SETTINGS)}, ${INDEX_SETTINGS.map((setting) => `${setting} = 1 CHANGEABLE_IN_READONLY`).join(', ')}`,
  ];
}

/** The text after SETTINGS for settings that no query may change. */
function constants(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(
      ([setting, value]) =>
        `${setting} = ${typeof value === 'number' ? value : quoteText(value)} CONST`,
    )
    .join(', ');
}
