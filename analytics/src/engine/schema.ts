import { RETENTION } from '@guard/config/contract/limits';
import { EVENT_COLUMNS } from '../events/columns.ts';
import type { EventColumn } from '../events/event-column.ts';
import { DATABASE, LOCAL_TABLE, TABLE } from './accounts.ts';

/** What the tables lie on: one server, the shards of a cluster, or shards that keep copies. */
export type Layout = 'one_server' | 'cluster' | 'replicated_cluster';

/**
 * The statements that bring a database, empty or of an earlier version, to the present schema. Each
 * can run any number of times. `events` holds the rows; `events_distributed` is what queries name,
 * in both modes. Row policies belong on `events` alone: on the Distributed table they do nothing.
 *
 * @param cluster name in `remote_servers`.
 */
export function schemaStatements(cluster: string, layout: Layout): string[] {
  const scope = layout === 'one_server' ? '' : ` ON CLUSTER ${quoteName(cluster)}`;
  const local = `${DATABASE}.${LOCAL_TABLE}`;
  const distributed = `${DATABASE}.${TABLE}`;
  const withTtl = EVENT_COLUMNS.map((column) => `${declaration(column)}${ttl(column)}`);
  const plain = EVENT_COLUMNS.map(declaration);
  // Without arguments: the server's own default path and replica name (`default_replica_path`).
  const isReplicated = layout === 'replicated_cluster';
  const engine = isReplicated ? 'ReplicatedMergeTree' : 'MergeTree';
  const window = `${isReplicated ? '' : 'non_'}replicated_deduplication_window`;
  return [
    `CREATE TABLE IF NOT EXISTS ${local}${scope} (\n  ${withTtl.join(',\n  ')}\n)
ENGINE = ${engine}
PARTITION BY toDate(created_at)
ORDER BY (organisation, created_at)
TTL toDateTime(created_at) + INTERVAL ${RETENTION.rowsS} SECOND
SETTINGS ${window} = 1000`,
    `CREATE TABLE IF NOT EXISTS ${distributed}${scope} (\n  ${plain.join(',\n  ')}\n)
ENGINE = Distributed(${quoteText(cluster)}, ${DATABASE}, ${LOCAL_TABLE}, cityHash64(request_id))`,
    `ALTER TABLE ${local}${scope} ${addColumns(withTtl)}`,
    `ALTER TABLE ${distributed}${scope} ${addColumns(plain)}`,
    // What an earlier version declared otherwise. A codec holds for what is written from then on.
    `ALTER TABLE ${local}${scope} ${modifyColumns(plain)}`,
    `ALTER TABLE ${distributed}${scope} ${modifyColumns(plain)}`,
  ];
}

function declaration({ name, type, codec, comment }: EventColumn): string {
  return `${quoteName(name)} ${type} COMMENT ${quoteText(comment)} CODEC(${codec})`;
}

function ttl({ kept }: EventColumn): string {
  return kept === 'row' ? '' : ` TTL toDateTime(created_at) + INTERVAL ${RETENTION.detailS} SECOND`;
}

function addColumns(declarations: readonly string[]): string {
  return declarations.map((column) => `ADD COLUMN IF NOT EXISTS ${column}`).join(', ');
}

function modifyColumns(declarations: readonly string[]): string {
  return declarations.map((column) => `MODIFY COLUMN ${column}`).join(', ');
}

export function quoteText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

export function quoteName(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}
