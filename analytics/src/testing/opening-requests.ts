/**
 * The first requests of programs before they show a chart. The requests of @clickhouse/client, Cube and DbGate were
 * recorded. The other requests come from the source code of the programs, because npm and Debian do not have these
 * programs. Long lists of types are shortened.
 */
interface Opening {
  readonly program: string;
  readonly search?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly statements: readonly string[];
}

const GO = 'client_protocol_version=54483&database=default&default_format=Native';
const PYTHON =
  'session_id=7d1f8c1e-5a0b-4a3e-9f0e-2c1a5b6d7e8f&wait_end_of_query=1&send_progress_in_http_headers=1';

export const OPENINGS: readonly Opening[] = [
  {
    program: 'clickhouse-connect (Python), Superset',
    search: `${PYTHON}&date_time_input_format=best_effort&enable_http_compression=1`,
    headers: { 'accept-encoding': 'lz4,br,gzip', 'content-type': 'text/plain; charset=utf-8' },
    statements: [
      'SELECT version(), timezone()',
      'SELECT name, value, readonly as readonly FROM system.settings LIMIT 10000\n FORMAT Native',
      'SELECT * FROM events_distributed LIMIT 0\n FORMAT JSON',
      'DESCRIBE TABLE default.events_distributed\n FORMAT Native',
      'SHOW DATABASES\n FORMAT Native',
      'SHOW TABLES FROM `default`\n FORMAT Native',
      'EXISTS TABLE `default`.`events_distributed`\n FORMAT Native',
      "SELECT name FROM system.databases WHERE name = 'default'\n FORMAT Native",
    ],
  },
  {
    program: 'clickhouse-go, the ClickHouse plugin of Grafana',
    search: `${GO}&max_execution_time=60&query_id=panel-1&quota_key=grafana`,
    statements: [
      'SELECT displayName(), version(), revision(), timezone()',
      'SELECT 1',
      'SELECT name FROM system.databases',
      "SELECT name FROM system.tables WHERE database = 'default'",
      'SELECT database, name FROM system.tables ORDER BY database, name',
      'DESC TABLE "default"."events_distributed"',
      "SELECT database, table, name, type, comment FROM system.columns WHERE (database, table) IN (('default', 'events_distributed')) ORDER BY database, table, position",
      "SELECT value FROM system.settings WHERE name='readonly'",
      'SELECT toStartOfInterval("created_at", INTERVAL 20 second) AS "time", count() AS "requests" FROM "default"."events_distributed" WHERE created_at >= toDateTime(1795000000) AND created_at <= toDateTime(1996000000) GROUP BY time ORDER BY time ASC LIMIT 1000',
    ],
  },
  {
    program: 'the JDBC driver: DBeaver, Metabase',
    search: 'compress=1&query_id=1&select_sequential_consistency=1&async_insert=0',
    headers: {
      'content-type': 'text/plain',
      'x-clickhouse-format': 'RowBinaryWithNamesAndTypes',
      'x-clickhouse-database': 'default',
    },
    statements: [
      'SELECT currentUser() AS user, timezone() AS timezone, version() AS version LIMIT 1',
      'SELECT timezone() AS tz',
      "SELECT 'local' AS TABLE_CAT  WHERE 1 = 0",
      "SELECT name AS TABLE_SCHEM, '' AS TABLE_CATALOG FROM system.databases ORDER BY name",
      "SELECT '' AS TABLE_CAT, t.database AS TABLE_SCHEM, t.name AS TABLE_NAME, if(t.is_temporary = 1, concat('Temporary', t.engine), t.engine) AS TABLE_TYPE, t.comment AS REMARKS, CAST(null as Nullable(String)) AS TYPE_CAT, d.engine AS TYPE_SCHEM FROM system.tables t JOIN system.databases d ON system.tables.database = system.databases.name WHERE t.database LIKE '%' AND t.name LIKE '%' AND ( (t.engine IN ('Distributed','S3')) OR (t.engine NOT IN ('Log') AND NOT t.engine LIKE 'System%' AND t.is_temporary = 0)) AND (t.is_temporary = 0)",
      "SELECT '' AS TABLE_CAT, database AS TABLE_SCHEM, table AS TABLE_NAME, name AS COLUMN_NAME, toInt32(1111) AS DATA_TYPE, type AS TYPE_NAME, toInt32(multiIf(character_octet_length IS NOT NULL, character_octet_length, system.columns.type == 'Int8', 1, numeric_precision IS NOT NULL, numeric_precision, 0)) AS COLUMN_SIZE, toInt32(IF (numeric_scale == 0, NULL, numeric_scale)) as DECIMAL_DIGITS,  toInt32(numeric_precision_radix) AS NUM_PREC_RADIX, toInt32(position(type, 'Nullable(') >= 1 ?1 : 0) as NULLABLE, system.columns.comment AS REMARKS, system.columns.default_expression AS COLUMN_DEF, character_octet_length::Nullable(Int32) AS CHAR_OCTET_LENGTH, toInt32(system.columns.position) AS ORDINAL_POSITION, position(upper(type), 'NULLABLE') >= 1 ? 'YES' : 'NO' AS IS_NULLABLE FROM system.columns WHERE database LIKE 'default' AND table LIKE '%' AND name LIKE '%' ORDER BY TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION",
      "SELECT NULL::Nullable(String) AS TABLE_CAT, system.tables.database AS TABLE_SCHEM, system.tables.name AS TABLE_NAME, trim(c.1) AS COLUMN_NAME, CAST(c.2 AS Int16) AS KEY_SEQ, 'PRIMARY' AS PK_NAME FROM system.tables ARRAY JOIN arrayZip(splitByChar(',', primary_key), arrayEnumerate(splitByChar(',', primary_key))) as c WHERE system.tables.primary_key <> '' AND system.tables.database ILIKE '%' AND system.tables.name ILIKE 'events_distributed' ORDER BY COLUMN_NAME",
      "SELECT name AS TYPE_NAME, 0::Int32 AS DATA_TYPE, attrs.c2::Nullable(Int32) AS PRECISION, not(dt.case_insensitive)::Boolean AS CASE_SENSITIVE, if(empty(alias_to), name, alias_to) AS LOCAL_TYPE_NAME FROM system.data_type_families dt LEFT JOIN (SELECT * FROM VALUES ( ('UInt16', 5, 1), ('UInt32', 10, 1) ) ) as attrs ON (dt.name = attrs.c1) WHERE alias_to == ''",
      "SELECT count(*) > 0 FROM system.databases WHERE name = 'default'",
      'SELECT `default`.`events_distributed`.`action` AS `action`, COUNT(*) AS `count` FROM `default`.`events_distributed` GROUP BY `default`.`events_distributed`.`action`',
    ],
  },
  {
    program: 'DbGate',
    search: 'query_id=a&default_format=JSONCompact',
    statements: [
      'SELECT version() AS version',
      "SELECT name FROM system.databases WHERE name NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')",
      'select name as "pureName", metadata_modification_time as "contentHash", total_rows as "tableRowCount", uuid as "objectId", comment as "objectComment", engine as "tableEngine", primary_key as "primaryKeyColumns", sorting_key as "sortingKeyColumns" from system.tables where database=\'default\' and engine != \'View\'',
      'select tables.name as "pureName", columns.name as "columnName", columns.type as "dataType" from system.columns inner join system.tables on columns.table = tables.name and columns.database = tables.database where columns.database=\'default\' order by tables.name, columns.position',
    ],
  },
  {
    program: 'Cube',
    search: 'send_progress_in_http_headers=0&default_format=JSON',
    statements: [
      'SELECT 1',
      "SELECT name as table_name FROM system.tables WHERE database = 'default'",
      "SELECT name as column_name, table as table_name, database as table_schema, type as data_type FROM system.columns WHERE database = 'default'",
    ],
  },
  {
    program: 'the .NET driver through linq2db',
    search: 'default_format=RowBinaryWithNamesAndTypes&enable_http_compression=true',
    statements: [
      'SELECT version(), timezone() FORMAT TSV',
      'select hostName()',
      'select database()',
      "select name, comment, engine LIKE '%View' from system.tables where is_temporary = 0 and database = database()",
      "SELECT table, name, type, position, comment, multiIf(type LIKE '%FixedString%', character_octet_length, NULL), multiIf(type LIKE '%DateTime64%', datetime_precision, numeric_precision_radix = 10, numeric_precision, NULL), is_in_primary_key FROM system.columns WHERE database = database() and default_kind <> 'ALIAS'",
    ],
  },
];
