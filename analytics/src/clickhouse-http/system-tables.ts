import { ACCOUNT_SETTINGS, DATABASE, TABLE } from '../database/accounts.ts';
import { quoteText } from '../database/schema.ts';
import { EVENT_COLUMNS } from '../events/columns/event-columns.ts';

/**
 * The tables that programs read before they show a database. Each table has only constant rows. They name one database,
 * its table, the columns, and the limits of the guide page "Analytics". So the answer is the same for every key. It
 * reveals nothing about the server, other organisations, or the number of rows.
 */

const SORTING_KEY = 'organisation, created_at';

function valuesOf(structure: string, rows: readonly (readonly string[])[]): string {
  const list = rows.map((row) => `(${row.map(quoteText).join(',')})`).join(',');
  return `values(${quoteText(structure)},${list})`;
}

/** The columns of a system table. Each column is an expression with the same value in all rows. */
function constantColumns(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, value]) => `${value} AS ${name}`)
    .join(', ');
}

const NO_TEXT = "''";
const NO_NUMBER = "CAST(NULL, 'Nullable(UInt64)')";
const NO_UUID = "toUUID('00000000-0000-0000-0000-000000000000')";
const isInSortingKey = `toUInt8(name IN (${SORTING_KEY.split(', ').map(quoteText).join(', ')}))`;

const COLUMNS_QUERY = `SELECT ${constantColumns({
  database: quoteText(DATABASE),
  table: quoteText(TABLE),
})}, name, type, comment, rowNumberInAllBlocks() + 1 AS position, ${constantColumns({
  ...{ default_kind: NO_TEXT, default_expression: NO_TEXT, compression_codec: NO_TEXT },
  ...{ is_in_primary_key: isInSortingKey, is_in_sorting_key: isInSortingKey },
  ...{ is_in_partition_key: 'toUInt8(0)', is_in_sampling_key: 'toUInt8(0)' },
  ...{ character_octet_length: NO_NUMBER, numeric_precision: NO_NUMBER, numeric_scale: NO_NUMBER },
  ...{ numeric_precision_radix: NO_NUMBER, datetime_precision: NO_NUMBER },
})} FROM ${valuesOf(
  'name String, type String, comment String',
  EVENT_COLUMNS.map(({ name, type, comment }) => [name, type, comment]),
)}`;

const TABLES_QUERY = `SELECT ${constantColumns({
  ...{ database: quoteText(DATABASE), name: quoteText(TABLE), uuid: NO_UUID },
  ...{ engine: "'Distributed'", is_temporary: 'toUInt8(0)', comment: NO_TEXT },
  ...{ primary_key: quoteText(SORTING_KEY), sorting_key: quoteText(SORTING_KEY) },
  ...{ partition_key: NO_TEXT, sampling_key: NO_TEXT },
  ...{ create_table_query: NO_TEXT, engine_full: NO_TEXT, as_select: NO_TEXT },
  ...{ total_rows: NO_NUMBER, total_bytes: NO_NUMBER },
  metadata_modification_time: 'toDateTime(0)',
})}`;

const DATABASES_QUERY = `SELECT ${constantColumns({
  ...{ name: quoteText(DATABASE), engine: "'Atomic'", uuid: NO_UUID, comment: NO_TEXT },
})}`;

const SETTINGS_QUERY = `SELECT name, value, ${constantColumns({
  ...{ changed: 'toUInt8(1)', readonly: 'toUInt8(1)', description: NO_TEXT, type: NO_TEXT },
  ...{ min: "CAST(NULL, 'Nullable(String)')", max: "CAST(NULL, 'Nullable(String)')" },
})} FROM ${valuesOf(
  'name String, value String',
  Object.entries(ACCOUNT_SETTINGS).map(([name, value]) => [name, String(value)]),
)}`;

const typeFamilies = new Set(
  EVENT_COLUMNS.flatMap(({ type }) => type.replaceAll(/'[^']*'/g, '').match(/[A-Z]\w*/g) ?? []),
);
const TYPES_QUERY = `SELECT name, ${constantColumns({ case_insensitive: 'toUInt8(0)', alias_to: NO_TEXT })} FROM ${valuesOf(
  'name String',
  [...typeFamilies].map((name) => [name]),
)}`;

export const SYSTEM_TABLES: ReadonlyMap<string, string> = new Map([
  ['columns', COLUMNS_QUERY],
  ['tables', TABLES_QUERY],
  ['databases', DATABASES_QUERY],
  ['settings', SETTINGS_QUERY],
  ['data_type_families', TYPES_QUERY],
]);
