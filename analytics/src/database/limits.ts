import { QUERY } from '@guard/config/contract/limits';

/**
 * Settings of an organisation's account: the limits of contract 8, and what keeps one organisation's
 * query from costing another its answer. The account is readonly, so no query can change them.
 */
export const ACCOUNT_SETTINGS: Readonly<Record<string, string | number>> = {
  readonly: 1,
  max_execution_time: QUERY.maxExecutionS,
  timeout_overflow_mode: 'throw',
  max_result_rows: QUERY.maxRows,
  result_overflow_mode: 'throw',
  max_query_size: 4 * QUERY.maxStatementChars,
  max_memory_usage: 1_000_000_000,
  max_threads: 2,
  // A caller that hangs up must not leave its query running.
  cancel_http_readonly_queries_on_client_close: 1,
  // Joins and IN over events_distributed are exact on a cluster only when they are global.
  distributed_product_mode: 'global',
  // A shard that is away is an error, never a lower count.
  skip_unavailable_shards: 0,
  // JSON answers would otherwise tell how many rows of all organisations were read.
  output_format_write_statistics: 0,
  // Errors come as an error status, not inside an answer that looks whole.
  http_write_exception_in_output_format: 0,
};
