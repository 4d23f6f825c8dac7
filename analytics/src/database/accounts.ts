import { createHash, createHmac } from 'node:crypto';
import { QUERY } from '@guard/config/contract/limits';
import type { Account } from './database-client.ts';

/** Database and tables have the same names in the embedded engine and on a ClickHouse server (contract 2.7). */
export const DATABASE = 'default';
export const LOCAL_TABLE = 'events';
export const TABLE = 'events_distributed';

/**
 * The account of an organisation: the tenant boundary (contract 5). Its password is derived from the secret of the
 * writing account, so every instance with this secret can compute the password, and no instance stores it. No other
 * account may have a name that begins with `guard_`.
 */
export function organisationAccount(organisation: string, secret: string): Account {
  return {
    user: `guard_${organisation}`,
    password: createHmac('sha256', secret).update(`guard account ${organisation}`).digest('hex'),
  };
}

/** The condition for the rows of `events` that an account may see. Identifiers need no escape in SQL or XML. */
export function rowFilter(organisation: string): string {
  return `organisation = '${organisation}'`;
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The limits of contract 8, and limits that protect other organisations. No query can change them (readonly). */
export const ACCOUNT_SETTINGS: Readonly<Record<string, string | number>> = {
  readonly: 1,
  max_execution_time: QUERY.maxExecutionS,
  timeout_overflow_mode: 'throw',
  max_result_rows: QUERY.maxRows,
  result_overflow_mode: 'throw',
  max_query_size: 4 * QUERY.maxStatementChars,
  max_memory_usage: 1_000_000_000,
  // Above these sizes, ClickHouse groups and sorts in files of limited size. They are far below the memory limit.
  max_bytes_before_external_group_by: 250_000_000,
  max_bytes_before_external_sort: 250_000_000,
  max_temporary_data_on_disk_size_for_user: 4_000_000_000,
  max_threads: 2,
  // When a caller disconnects, its query must end.
  cancel_http_readonly_queries_on_client_close: 1,
  // Joins and IN over events_distributed are exact on a cluster only when they are global.
  distributed_product_mode: 'global',
  // By default a missing alias is an error. Its text recommends this setting, but no query can change it.
  joined_subquery_requires_alias: 0,
  // With this on, some queries failed at once (error 279) when a server of the cluster was slow.
  use_hedged_requests: 0,
  // A missing shard must give an error, never a lower count.
  skip_unavailable_shards: 0,
  // With statistics, JSON answers would say how many rows of all organisations were read.
  output_format_write_statistics: 0,
  // An error must have an error status. By default the text of an error can be inside an answer with status 200.
  http_write_exception_in_output_format: 0,
};

/**
 * With these settings, the database does not skip parts by their day or statistics. A part has rows of all
 * organisations. To skip parts, the database runs functions of the statement on the day of each part, before it applies
 * the row policy. So when another organisation had rows of that day, `intDiv(1, toInt32(toDate(created_at)) - 20778)`
 * failed, and `range((toDate(created_at) = …) * 60000000)` took longer. The primary key finds the rows as fast as the
 * days of the parts did.
 */
export const PART_SETTINGS = {
  use_partition_pruning: 0,
  use_statistics_for_part_pruning: 0,
} as const;

/**
 * With 0 the database reads every row that the row policy allows. With 1 it also runs some functions on the bounds of
 * ranges of rows. Such a range contains rows of other organisations, so a function such as `accurateCast` can fail
 * because of them. The account may change only these settings. A statement cannot change them, because the gate refuses
 * SETTINGS.
 */
export const INDEX_SETTINGS = ['use_primary_key', 'use_skip_indexes'] as const;
