import { RETENTION } from '@guard/config/contract/limits';
import type { Column } from '@guard/config/contract/ports';
import { EVENT_COLUMNS } from '../events/columns/event-columns.ts';
import type { EventColumn } from '../events/columns/column.ts';
import { DATABASE, LOCAL_TABLE, TABLE } from './accounts.ts';

/** Where the tables are stored: one server, the shards of a cluster, or shards with replicas. */
export type Layout = 'one_server' | 'cluster' | 'replicated_cluster';

/**
 * A column on servers. `have` is the number of servers with exactly this column, and `servers` the number of all
 * servers.
 */
export interface PresentColumn extends Column, Pick<EventColumn, 'codec'> {
  readonly table: string;
  readonly have: number;
  readonly servers: number;
}

/**
 * Bloom filters for columns that are looked up over all days. For one of 1000 groups of 8192 rows the filter gives a
 * false match. Both session columns share one index, because statements search both.
 */
const INDEXES = [
  ['by_reference', 'reference'],
  ['by_request_id', 'request_id'],
  ['by_session', '(session, session_sent)'],
  ['by_ip', 'ip'],
] as const;

/** Reads the table definition on the connected server. An account that may read the table may also read this. */
export const DEFINITION_QUERY = `SHOW CREATE TABLE ${DATABASE}.${LOCAL_TABLE} FORMAT TSVRaw`;

/**
 * Each line of the answer is a {@link PresentColumn}, as a JSON array of its fields in order. Unavailable servers are
 * skipped, because one of them would otherwise keep Guard from using all others.
 */
export function presentColumnsQuery(cluster: string, layout: Layout): string {
  const columns = 'system.columns';
  const from =
    layout === 'one_server' ? columns : `clusterAllReplicas(${quoteText(cluster)}, ${columns})`;
  // This query counts all servers: each server has the column `system.columns.name`, and the account may read it.
  const servers = `SELECT toUInt32(count()) FROM ${from} WHERE database = 'system' AND table = 'columns' AND name = 'name'`;
  return `SELECT table, name, type, comment, compression_codec, toUInt32(count()), (${servers})
FROM ${from}
WHERE database = '${DATABASE}' AND table IN ('${LOCAL_TABLE}', '${TABLE}')
GROUP BY table, name, type, comment, compression_codec
SETTINGS skip_unavailable_shards = 1 FORMAT JSONCompactEachRow`;
}

/** True if a connected server lacks a table, because it joined the cluster after the tables were created. */
export function isTableMissing(presentColumns: readonly PresentColumn[]): boolean {
  return [LOCAL_TABLE, TABLE].some(
    (name) => serversWith(name, presentColumns) < serversOf(presentColumns),
  );
}

/**
 * The number of servers with a table. These servers have all columns, except columns that a newer version of Guard
 * adds.
 */
function serversWith(table: string, presentColumns: readonly PresentColumn[]): number {
  const serversByColumn = new Map<string, number>();
  for (const column of presentColumns.filter((entry) => entry.table === table)) {
    serversByColumn.set(column.name, (serversByColumn.get(column.name) ?? 0) + column.have);
  }
  return Math.max(0, ...serversByColumn.values());
}

/** The number of all servers. 1 when no table exists yet, so that both tables are missing. */
function serversOf([first]: readonly PresentColumn[]): number {
  return first?.servers ?? 1;
}

/**
 * The statements that change a database, empty or of an earlier version, to the current schema. When the schema is
 * current, the list is empty. Each statement that changes a table rewrites the file of its definition, and on a full
 * disk ClickHouse leaves this file empty. `events` stores the rows. Queries use `events_distributed`, on one server and
 * on a cluster. Row policies belong on `events` only, because they have no effect on the Distributed table. `cluster`
 * is a name in `remote_servers`. `definition` is the answer to {@link DEFINITION_QUERY}. When it is undefined, no index
 * is added.
 */
export function schemaStatements(
  cluster: string,
  layout: Layout,
  presentColumns: readonly PresentColumn[],
  definition: string | undefined,
): string[] {
  const scope = layout === 'one_server' ? '' : ` ON CLUSTER ${quoteName(cluster)}`;
  // The default path of a server contains the table's own UUID. On a server that joins later the table would have
  // another UUID.
  const path = `/clickhouse/tables/${cluster}/{shard}/${DATABASE}/${LOCAL_TABLE}`;
  const isReplicated = layout === 'replicated_cluster';
  const windowSetting = `${isReplicated ? '' : 'non_'}replicated_deduplication_window`;
  const localEngine = `ENGINE = ${isReplicated ? `ReplicatedMergeTree(${quoteText(path)}, '{replica}')` : 'MergeTree'}
PARTITION BY toDate(created_at)
ORDER BY (organisation, created_at)
TTL toDateTime(created_at) + INTERVAL ${RETENTION.rowsS} SECOND
SETTINGS ${windowSetting} = 1000`;
  const distributedEngine = `ENGINE = Distributed(${quoteText(cluster)}, ${DATABASE}, ${LOCAL_TABLE}, cityHash64(request_id))`;
  return [
    ...tableStatements(
      LOCAL_TABLE,
      scope,
      localEngine,
      (column) => declaration(column) + ttl(column),
      INDEXES.map((index) => indexDeclaration(index)),
    ),
    ...tableStatements(TABLE, scope, distributedEngine, declaration, []),
    ...(definition === undefined ? [] : indexStatements(scope, definition)),
  ];

  function tableStatements(
    table: string,
    clusterScope: string,
    engine: string,
    declareColumn: (column: EventColumn) => string,
    indexes: readonly string[],
  ): string[] {
    const name = `${DATABASE}.${table}${clusterScope}`;
    const knownColumns = presentColumns.filter((column) => column.table === table);
    const serversWithTable = serversWith(table, presentColumns);
    const create = `CREATE TABLE IF NOT EXISTS ${name} (\n  ${[...EVENT_COLUMNS.map(declareColumn), ...indexes].join(',\n  ')}\n)\n${engine}`;
    const addedColumns = EVENT_COLUMNS.filter((column) => {
      const variants = knownColumns.filter((variant) => variant.name === column.name);
      return variants.reduce((sum, { have }) => sum + have, 0) < serversWithTable;
    }).map((column) => `ADD COLUMN IF NOT EXISTS ${declareColumn(column)}`);
    // Statements for columns that an earlier version declared in another way. A new codec applies only to new rows.
    const changedColumns = EVENT_COLUMNS.filter((column) =>
      knownColumns.some((variant) => variant.name === column.name && !isSame(variant, column)),
    ).map((column) => `MODIFY COLUMN ${declaration(column)}`);
    return [
      ...(serversWithTable < serversOf(presentColumns) ? [create] : []),
      ...[addedColumns, changedColumns]
        .filter((changes) => changes.length > 0)
        .map((changes) => `ALTER TABLE ${name} ${changes.join(', ')}`),
    ];
  }
}

/**
 * Adds the indexes that a table of an earlier version lacks, and builds them for existing rows. The rows of past days
 * are not merged again, so no merge would build their index. Building runs in the background. If Guard ends between the
 * two statements, look-ups in past days stay slow.
 */
function indexStatements(scope: string, definition: string): string[] {
  const missingIndexes = INDEXES.filter(([name]) => !definition.includes(`INDEX ${name} `));
  if (missingIndexes.length === 0) return [];
  const alter = `ALTER TABLE ${DATABASE}.${LOCAL_TABLE}${scope}`;
  const addClauses = missingIndexes.map(
    (index) => `ADD ${indexDeclaration(index, ' IF NOT EXISTS')}`,
  );
  const buildClauses = missingIndexes.map(([name]) => `MATERIALIZE INDEX IF EXISTS ${name}`);
  return [`${alter} ${addClauses.join(', ')}`, `${alter} ${buildClauses.join(', ')}`];
}

function isSame(presentColumn: PresentColumn, { type, comment, codec }: EventColumn): boolean {
  return (
    presentColumn.type === type &&
    presentColumn.comment === comment &&
    presentColumn.codec === `CODEC(${codec})`
  );
}

function declaration({ name, type, codec, comment }: EventColumn): string {
  return `${quoteName(name)} ${type} COMMENT ${quoteText(comment)} CODEC(${codec})`;
}

function indexDeclaration([name, expression]: (typeof INDEXES)[number], condition = ''): string {
  return `INDEX${condition} ${name} ${expression} TYPE bloom_filter(0.001) GRANULARITY 1`;
}

function ttl({ retention }: EventColumn): string {
  return retention === 'row'
    ? ''
    : ` TTL toDateTime(created_at) + INTERVAL ${RETENTION.detailS} SECOND`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

export function quoteName(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}
