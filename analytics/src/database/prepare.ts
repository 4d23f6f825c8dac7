import {
  DEFINITION_QUERY,
  isTableMissing,
  presentColumnsQuery,
  schemaStatements,
} from './schema.ts';
import type { Layout, PresentColumn } from './schema.ts';
import type { Account, DatabaseAnswer, DatabaseClient } from './database-client.ts';

/**
 * The oldest ClickHouse that Guard uses. What came before lacks settings that the accounts of organisations have, or reads
 * SQL in another way than the gate.
 */
const OLDEST = { major: 24, minor: 8 };

const STATEMENT_TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Seconds in which all servers of a cluster are to do a statement. */
export const CLUSTER_PATIENCE_S = 10;

/**
 * Parameters of a statement ON CLUSTER: a server that does not do it in time is no error. It finds the statement in
 * Keeper when it is back. Else one server that is away would keep Guard from all others.
 */
export function onCluster(patienceS: number): Record<string, string> {
  return {
    distributed_ddl_output_mode: 'null_status_on_timeout',
    distributed_ddl_task_timeout: String(patienceS),
  };
}

/** Runs one statement of ours. Undefined when the database did it, else why not. */
export async function execute(
  client: DatabaseClient,
  account: Account,
  sql: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  return failure(await ask(client, account, sql, parameters));
}

function ask(
  client: DatabaseClient,
  account: Account,
  sql: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<DatabaseAnswer> {
  return client.send({
    account,
    parameters,
    body: [Buffer.from(sql)],
    timeoutMs: STATEMENT_TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  });
}

/**
 * Brings the schema up to date. Undefined when it is, else the first failure.
 *
 * @param room called before anything is changed; resolves with why it must not be.
 */
export async function prepareSchema(
  client: DatabaseClient,
  account: Account,
  cluster: string,
  layout: Layout,
  room: () => Promise<string | undefined> = () => Promise.resolve(undefined),
): Promise<string | undefined> {
  const present = await readColumns(client, account, presentColumnsQuery(cluster, layout));
  if (typeof present === 'string') return present;
  const definition = await readDefinition(client, account);
  const statements = schemaStatements(cluster, layout, present, definition);
  const refused = statements.length === 0 ? undefined : await room();
  if (refused !== undefined) return refused;
  const parameters = layout === 'one_server' ? {} : onCluster(CLUSTER_PATIENCE_S);
  for (const sql of statements) {
    const failed = await execute(client, account, sql, parameters);
    if (failed !== undefined) return failed;
  }
  return undefined;
}

/** Why a server is not used. `isTooOld`: waiting does not help, because an operator has to update it. */
export interface Unfit {
  readonly message: string;
  readonly isTooOld: boolean;
}

/** Reads the version of a server. Undefined when Guard can use it. */
export async function findUnfit(
  client: DatabaseClient,
  account: Account,
): Promise<Unfit | undefined> {
  const answer = await ask(client, account, 'SELECT version()');
  const failed = failure(answer);
  if (failed !== undefined) return { message: failed, isTooOld: false };
  if (answer.kind !== 'answered') return undefined;
  const version = answer.body.toString('utf8').trim();
  const [, major, minor] = (/^(\d+)\.(\d+)\./.exec(version) ?? []).map(Number);
  if (major === undefined || minor === undefined) {
    const message = `This is no ClickHouse: asked for its version, it says ${JSON.stringify(version.slice(0, 100))}.`;
    return { message, isTooOld: false };
  }
  const isTooOld = major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor);
  if (!isTooOld) return undefined;
  const message = `ClickHouse ${version} is too old: Guard needs ${OLDEST.major}.${OLDEST.minor} or newer; update the server.`;
  return { message, isTooOld };
}

/** Whether a server has joined the cluster that has no tables yet. */
export async function hasServerWithoutTables(
  client: DatabaseClient,
  account: Account,
  cluster: string,
): Promise<boolean> {
  const present = await readColumns(client, account, presentColumnsQuery(cluster, 'cluster'));
  return typeof present !== 'string' && isTableMissing(present);
}

/** The columns, or why there are none to read. */
async function readColumns(
  client: DatabaseClient,
  account: Account,
  sql: string,
): Promise<PresentColumn[] | string> {
  const answer = await ask(client, account, sql);
  const failed = failure(answer);
  if (failed !== undefined) return failed;
  const lines = answer.kind === 'answered' ? answer.body.toString('utf8').split('\n') : [];
  return lines.filter((line) => line !== '').map((line) => columnOf(JSON.parse(line)));
}

/** Undefined where the server that is asked has no such table. */
async function readDefinition(
  client: DatabaseClient,
  account: Account,
): Promise<string | undefined> {
  const answer = await ask(client, account, DEFINITION_QUERY);
  return answer.kind === 'answered' && failure(answer) === undefined
    ? answer.body.toString('utf8')
    : undefined;
}

function columnOf(line: unknown): PresentColumn {
  const fields: unknown[] = Array.isArray(line) ? line : [];
  const [table = '', name = '', type = '', comment = '', codec = '', have, servers] =
    fields.map(String);
  return { table, name, type, comment, codec, have: Number(have), servers: Number(servers) };
}

/** Why an answer is no success, for the log; undefined when it is one. */
export function failure(answer: DatabaseAnswer): string | undefined {
  switch (answer.kind) {
    case 'answered':
      return answer.status === 200 && answer.exceptionCode === 0
        ? undefined
        : `HTTP ${answer.status}: ${answer.body.toString('utf8', 0, 500).trim()}`;
    case 'failed':
      return answer.reason;
    case 'timeout':
    case 'aborted':
    case 'too_large':
      return answer.kind;
  }
}
