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
  findServerFault,
  hasServerWithoutTables,
  onCluster,
  prepareSchema,
  type ServerFault,
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
/**
 * How many accounts are created at the same time. Guard mostly waits for answers while it creates the accounts of 1,000
 * organisations.
 */
const ACCOUNTS_AT_ONCE = 8;
/** Every ClickHouse server has a cluster with this name. It consists of the server itself. */
const DEFAULT_CLUSTER = 'default';
const AWAY: EngineState = { kind: 'away', message: 'The analytics database is not connected.' };

/**
 * Uses a ClickHouse server or cluster through the same interface as the embedded engine. Returns at once, connects in
 * the background, and connects again after each interruption.
 *
 * Each organisation has the account `guard_<organisation>`. Guard creates these accounts itself, so the account of the
 * settings needs, in addition to its rights on the two tables, CREATE USER, ALTER USER, CREATE ROW POLICY, and SELECT
 * on the tables WITH GRANT OPTION. Without these rights an administrator has to create the accounts with the statements
 * of accountStatements().
 */
export function openRemote(options: RemoteOptions): Engine {
  const { settings, log, onReady, lookEveryMs = LOOK_EVERY_MS } = options;
  const stop = new AbortController();
  const isClosed = (): boolean => stop.signal.aborted;
  const backoff = new Backoff(250, 10_000);
  const workingAccounts = new Set<string>();
  /** Organisations whose account exists in its current form on all known servers of the cluster. */
  const updatedAccounts = new Set<string>();
  const database = describeDatabase(settings, workingAccounts);
  let organisations = options.organisations;
  let pauseEnd = new AbortController();
  let state: EngineState = AWAY;

  async function pause(ms: number): Promise<void> {
    pauseEnd = new AbortController();
    const signal = AbortSignal.any([stop.signal, pauseEnd.signal]);
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }

  /** Resolves with undefined when the accounts of all organisations work, else with the first problem. */
  async function openAccounts(): Promise<string | undefined> {
    let firstProblem: string | undefined;
    let patienceS = CLUSTER_PATIENCE_S;
    await forEachOrganisation(organisations, async (organisation) => {
      if (isClosed() || updatedAccounts.has(organisation)) return;
      const startedAt = performance.now();
      const problem = await openAccount(database, { organisation, patienceS }, log);
      // A server of the cluster is away. For the accounts of the other organisations Guard waits only one second for
      // this server.
      if (performance.now() - startedAt > 1000 * patienceS) patienceS = 1;
      const setMethod = problem === undefined ? 'add' : 'delete';
      for (const accounts of [workingAccounts, updatedAccounts]) accounts[setMethod](organisation);
      firstProblem ??= problem;
    });
    return firstProblem;
  }

  async function watchConnection(): Promise<void> {
    let loggedReason: string | undefined;
    let lookedAt = performance.now();
    while (!isClosed() && (await database.client.ping(PING_TIMEOUT_MS))) {
      if (performance.now() - lookedAt >= lookEveryMs) {
        if (await prepareNewServers(database, settings, log)) updatedAccounts.clear();
        lookedAt = performance.now();
      }
      const reason = await openAccounts();
      if (reason !== undefined && reason !== loggedReason) {
        log('error', 'analytics_account_unusable', { reason });
      }
      loggedReason = reason;
      await pause(PING_EVERY_MS);
    }
  }

  async function supervise(): Promise<void> {
    while (!isClosed()) {
      updatedAccounts.clear();
      const serverFault = await prepareTables(database, settings);
      const problem = serverFault?.message ?? (await openAccounts());
      if (problem === undefined) {
        backoff.reset();
        state = { kind: 'ready', database };
        log('info', 'analytics_ready');
        onReady();
        await watchConnection();
      }
      if (isClosed()) return;
      state =
        serverFault?.isTooOld === true ? { kind: 'failing', message: serverFault.message } : AWAY;
      log('error', 'analytics_database_away', { reason: problem ?? 'it stopped answering' });
      await pause(backoff.next());
    }
  }

  const supervision = supervise();
  return {
    state: () => state,
    stopsDeletion: () => false,
    setOrganisations(newOrganisations) {
      organisations = newOrganisations;
      pauseEnd.abort();
    },
    async close() {
      stop.abort();
      await supervision;
      database.client.close();
    },
  };
}

function describeDatabase(
  settings: RemoteSettings,
  workingAccounts: ReadonlySet<string>,
): Database {
  const url = new URL(settings.url);
  return {
    client: createDatabaseClient(url),
    writer: { user: settings.user, password: settings.password },
    insertInto: settings.cluster === undefined ? LOCAL_TABLE : TABLE,
    cluster: settings.cluster,
    account: (organisation) =>
      workingAccounts.has(organisation)
        ? organisationAccount(organisation, settings.password)
        : undefined,
    secrets: [url.host, url.hostname],
  };
}

/** Checks the server's version and updates its tables. Resolves with undefined on success. */
async function prepareTables(
  database: Database,
  { cluster, replicated = false }: RemoteSettings,
): Promise<ServerFault | undefined> {
  const serverFault = await findServerFault(database);
  if (serverFault !== undefined) return serverFault;
  const clusterLayout = replicated ? 'replicated_cluster' : 'cluster';
  const layout = cluster === undefined ? 'one_server' : clusterLayout;
  const message = await prepareSchema(database, cluster ?? DEFAULT_CLUSTER, layout);
  return message === undefined ? undefined : { message, isTooOld: false };
}

/**
 * Creates the tables on servers that have joined the cluster, but not the accounts. Resolves with true when a server
 * had joined.
 */
async function prepareNewServers(
  database: Database,
  settings: RemoteSettings,
  log: Log,
): Promise<boolean> {
  const { cluster } = database;
  if (cluster === undefined || !(await hasServerWithoutTables(database, cluster))) return false;
  const serverFault = await prepareTables(database, settings);
  if (serverFault === undefined) log('info', 'analytics_server_joined');
  else log('error', 'analytics_tables_not_made', { reason: serverFault.message });
  return serverFault === undefined;
}

async function forEachOrganisation(
  organisations: readonly string[],
  act: (organisation: string) => Promise<void>,
): Promise<void> {
  const remaining = organisations.values();
  const runNext = async (): Promise<void> => {
    for (const organisation of remaining) await act(organisation);
  };
  await Promise.all(Array.from({ length: ACCOUNTS_AT_ONCE }, runNext));
}

/** Creates an account and runs one query with it. Resolves with undefined on success. */
async function openAccount(
  { client, writer, cluster }: Database,
  {
    organisation,
    patienceS,
  }: {
    readonly organisation: string;
    /** Time limit in seconds for each statement on all servers of the cluster. */
    readonly patienceS: number;
  },
  log: Log,
): Promise<string | undefined> {
  let refusal: string | undefined;
  const parameters = cluster === undefined ? {} : onCluster(patienceS);
  for (const sql of accountStatements(organisation, writer.password, cluster)) {
    refusal = await execute(client, writer, sql, parameters);
    if (refusal !== undefined) break;
  }
  const account = organisationAccount(organisation, writer.password);
  const probeFailure = await execute(client, account, wallProbe(organisation));
  if (probeFailure !== undefined)
    return [`${account.user}: ${probeFailure}`, refusal].join(' ').trim();
  if (refusal !== undefined) {
    log('warn', 'analytics_account_not_made', { organisation, reason: refusal });
  }
  return undefined;
}

/**
 * Returns a statement that fails when the account of `organisation` can read a row of another organisation. Servers of
 * a cluster without a shared `interserver` secret may run queries between them with another account, which has no row
 * policy.
 */
function wallProbe(organisation: string): string {
  const foreignRows = `SELECT 1 FROM ${TABLE} WHERE NOT (${rowFilter(organisation)}) LIMIT 1`;
  return `SELECT throwIf(count() > 0, 'this account reads other organisations') FROM (${foreignRows})`;
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
    `ALTER USER ${name}${scope} ${identity} SETTINGS ${constantSettings(ACCOUNT_SETTINGS)}`,
    `CREATE ROW POLICY OR REPLACE ${policy} USING ${rowFilter(organisation)} TO ${name}`,
    `GRANT${scope} SELECT ON ${DATABASE}.${LOCAL_TABLE}, SELECT ON ${DATABASE}.${TABLE} TO ${name}`,
    // This statement comes last: an old server does not have these settings, and the account works without them.
    `ALTER USER ${name}${scope} ADD SETTINGS ${constantSettings(PART_SETTINGS)}, ${INDEX_SETTINGS.map((setting) => `${setting} = 1 CHANGEABLE_IN_READONLY`).join(', ')}`,
  ];
}

/** The text after SETTINGS for settings that no query may change. */
function constantSettings(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(
      ([setting, value]) =>
        `${setting} = ${typeof value === 'number' ? value : quoteText(value)} CONST`,
    )
    .join(', ');
}
