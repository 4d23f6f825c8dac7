import {
  DEFINITION_QUERY,
  isTableMissing,
  presentColumnsQuery,
  schemaStatements,
} from './schema.ts';
import type { Layout, PresentColumn } from './schema.ts';
import type { Account, DatabaseAnswer, DatabaseClient } from './database-client.ts';
import type { Database } from './engine.ts';

/**
 * The oldest supported ClickHouse. Earlier versions lack settings of accounts, or parse SQL in another way than the
 * gate.
 */
const OLDEST_VERSION = { major: 24, minor: 8 };

const STATEMENT_TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Time limit for one statement on all servers of a cluster, in seconds. */
export const CLUSTER_PATIENCE_S = 10;

/**
 * Parameters of a statement ON CLUSTER. It is no error when a server does not run the statement in time:
 * the server finds the statement in Keeper later. If this were an error, Guard could not use the cluster
 * while one server is missing.
 */
export function onCluster(patienceS: number): Record<string, string> {
  return {
    distributed_ddl_output_mode: 'null_status_on_timeout',
    distributed_ddl_task_timeout: String(patienceS),
  };
}

/** Runs one statement with Guard's own account. Returns undefined on success, else the error. */
export async function execute(
  client: DatabaseClient,
  account: Account,
  sql: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  return failureOf(await sendStatement(client, account, sql, parameters));
}

function sendStatement(
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

/** A connection to a server with the writing account. */
type Server = Pick<Database, 'client' | 'writer'>;

/**
 * Updates the schema. Resolves with undefined on success, else with the first error. `waitForRoom` is called before a
 * change. It resolves with a reason when the schema must not be changed.
 */
export async function prepareSchema(
  server: Server,
  cluster: string,
  layout: Layout,
  waitForRoom: () => Promise<string | undefined> = () => Promise.resolve(undefined),
): Promise<string | undefined> {
  const presentColumns = await readColumns(server, presentColumnsQuery(cluster, layout));
  if (typeof presentColumns === 'string') return presentColumns;
  const definition = await readDefinition(server);
  const statements = schemaStatements(cluster, layout, presentColumns, definition);
  const refusal = statements.length === 0 ? undefined : await waitForRoom();
  if (refusal !== undefined) return refusal;
  const parameters = layout === 'one_server' ? {} : onCluster(CLUSTER_PATIENCE_S);
  for (const sql of statements) {
    const failureText = await execute(server.client, server.writer, sql, parameters);
    if (failureText !== undefined) return failureText;
  }
  return undefined;
}

/** Why a server cannot be used. If `isTooOld`, waiting does not help: an operator has to update the server. */
export interface ServerFault {
  readonly message: string;
  readonly isTooOld: boolean;
}

/** Checks the version of a server. Undefined means that Guard can use it. */
export async function findServerFault({
  client,
  writer,
}: Server): Promise<ServerFault | undefined> {
  const answer = await sendStatement(client, writer, 'SELECT version()');
  const failureText = failureOf(answer);
  if (failureText !== undefined) return { message: failureText, isTooOld: false };
  if (answer.kind !== 'answered') return undefined;
  const version = answer.body.toString('utf8').trim();
  const [, major, minor] = (/^(\d+)\.(\d+)\./.exec(version) ?? []).map(Number);
  if (major === undefined || minor === undefined) {
    const message = `This is no ClickHouse. To the question for its version it answers ${JSON.stringify(version.slice(0, 100))}.`;
    return { message, isTooOld: false };
  }
  const isTooOld =
    major < OLDEST_VERSION.major ||
    (major === OLDEST_VERSION.major && minor < OLDEST_VERSION.minor);
  if (!isTooOld) return undefined;
  const message = `ClickHouse ${version} is too old: Guard needs ${OLDEST_VERSION.major}.${OLDEST_VERSION.minor} or newer; update the server.`;
  return { message, isTooOld };
}

/** Resolves with true if a server has joined the cluster and has no tables yet. */
export async function hasServerWithoutTables(server: Server, cluster: string): Promise<boolean> {
  const presentColumns = await readColumns(server, presentColumnsQuery(cluster, 'cluster'));
  return typeof presentColumns !== 'string' && isTableMissing(presentColumns);
}

/** Reads the columns. Resolves with the reason when they cannot be read. */
async function readColumns(
  { client, writer }: Server,
  sql: string,
): Promise<PresentColumn[] | string> {
  const answer = await sendStatement(client, writer, sql);
  const failureText = failureOf(answer);
  if (failureText !== undefined) return failureText;
  const lines = answer.kind === 'answered' ? answer.body.toString('utf8').split('\n') : [];
  return lines.filter((line) => line !== '').map((line) => columnOf(JSON.parse(line)));
}

/** Reads the definition of the table. Undefined when the server has no such table. */
async function readDefinition({ client, writer }: Server): Promise<string | undefined> {
  const answer = await sendStatement(client, writer, DEFINITION_QUERY);
  return answer.kind === 'answered' && failureOf(answer) === undefined
    ? answer.body.toString('utf8')
    : undefined;
}

function columnOf(line: unknown): PresentColumn {
  const fields: unknown[] = Array.isArray(line) ? line : [];
  const [table = '', name = '', type = '', comment = '', codec = '', haveCount, servers] =
    fields.map(String);
  return { table, name, type, comment, codec, have: Number(haveCount), servers: Number(servers) };
}

/** Returns the text of a database error for the log. Undefined when the answer is a success. */
export function failureOf(answer: DatabaseAnswer): string | undefined {
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
