/**
 * Names that no statement may contain. The organisation's account cannot read other tables, use the network or write.
 * The functions below need no right. So without this list they could read files, reveal facts about the machine, or
 * bypass the row policy.
 */

/** Refused everywhere, even without parentheses, because `arrayMap(file, …)` and `APPLY(file)` also call functions. */
const DENIED_FUNCTIONS = new Set(
  [
    // These functions read files of the machine, or load models from them.
    'file catboostEvaluate evalMLMethod naiveBayesClassifier naiveBayesClassifierWithProb',
    'naiveBayesClassifierWithAllProbs showCertificate',
    // Send requests to another server.
    'aiClassify aiEmbed aiExtract aiGenerate aiTranslate reverseDNSQuery',
    // Read other tables by a name in a string.
    'joinGet joinGetOrNull dictHas dictIsIn hasColumnInTable eval executable',
    // Reveal facts about the server, its settings or its machine.
    'getClientHTTPHeader getMacro getMaxTableNameLengthForDatabase getMergeTreeSetting',
    'getOSKernelVersion getServerPort getServerSetting getSetting getSettingOrDefault',
    'globalVariable hostName hostname FQDN fullHostName tcpPort serverUUID buildId uptime tid',
    'filesystemAvailable filesystemCapacity filesystemUnreserved addressToLine',
    'addressToLineWithInlines addressToSymbol demangle hasThreadFuzzer connectionId connection_id',
    'transactionID transactionLatestSnapshot transactionOldestSnapshot zookeeperSessionUptime',
    'isMergeTreePartCoveredBy shardCount shardNum',
    // These names work without parentheses too. They reveal the name of the account. The column `organisation` contains
    // the same name.
    'user currentUser current_user session_user',
    // Occupy a slot without doing work, or write to the server's log.
    'sleep sleepEachRow logTrace generateSerialID',
    // Columns of the storage. Their offsets and sizes depend on the rows of all organisations.
    '_part _part_index _part_offset _part_starting_offset _part_uuid _part_data_version',
    '_part_granule_offset _partition_id _partition_value _sample_factor _block_number',
    '_block_offset _row_exists _disk_name _shard_num _table _database _distance _query_id',
  ]
    .flatMap((line) => line.split(' '))
    .map((name) => name.toLowerCase()),
);

/**
 * Prefixes of function families, because new versions of the database add members. `flameGraph` reveals the functions
 * of the server's program.
 */
const FUNCTION_PREFIXES = ['dictget', 'mergetree', 'flamegraph', '__'];

/** Databases about the server itself. The account can read a few tables of `system`. */
export const SERVER_DATABASES: ReadonlySet<string> = new Set(['system', 'information_schema']);

/** The only table functions that a statement may read from. They make rows and read no data. */
export const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(
  'numbers numbers_mt generateseries generate_series values'.split(' '),
);

/**
 * Functions whose call is refused. The bare names are allowed, because some of them are good aliases (`AS url`, `AS
 * version`). The list begins with table functions, except `format`, which is also a scalar function. Functions about
 * the server, the session or the storage follow.
 */
export const DENIED_CALLS: ReadonlySet<string> = new Set(
  (
    'azureblobstorage azureblobstoragecluster cluster clusterallreplicas cosn deltalake ' +
    'deltalakeazure deltalakeazurecluster deltalakecluster deltalakelocal deltalakes3 ' +
    'deltalakes3cluster dictionary filecluster filesystem fuzzjson fuzzquery gcs hdfs ' +
    'hdfscluster hudi hudicluster iceberg icebergazure icebergazurecluster icebergcluster ' +
    'iceberghdfs iceberghdfscluster iceberglocal iceberglocalcluster icebergs3 ' +
    'icebergs3cluster input jdbc loop merge mongodb mysql odbc oss paimon paimonazure ' +
    'paimonazurecluster paimoncluster paimonhdfs paimonhdfscluster paimonlocal paimons3 ' +
    'paimons3cluster postgresql prometheusquery prometheusqueryrange redis remote remotesecure ' +
    's3 s3cluster sqlite timeseriesdata timeseriesmetrics timeseriessamples ' +
    'timeseriesselector timeseriestags url urlcluster viewexplain viewifpermitted ytsaurus ' +
    'authenticateduser authuser blocknumber chdb currentprofiles currentqueryid currentroles displayname ' +
    'current_query_id defaultprofiles defaultroles enabledprofiles ' +
    'enabledroles initialqueryid initialquerystarttime initial_query_id ' +
    'initial_query_start_time queryid query_id revision version'
  ).split(' '),
);

/**
 * Formats that a `FORMAT` clause may name. A format is missing if it reads a schema or template from a file (Template,
 * Protobuf, CapnProto), reports progress over the rows of all organisations, or is a wire protocol of another database.
 * The names are in lower case, because the database ignores case.
 */
export const ALLOWED_FORMATS: ReadonlySet<string> = new Set(
  (
    'TabSeparated TabSeparatedRaw TabSeparatedWithNames TabSeparatedWithNamesAndTypes ' +
    'TabSeparatedRawWithNames TabSeparatedRawWithNamesAndTypes ' +
    'TSV TSVRaw TSVWithNames TSVWithNamesAndTypes TSVRawWithNames TSVRawWithNamesAndTypes TSKV ' +
    'Raw RawWithNames RawWithNamesAndTypes LineAsString RawBLOB ' +
    'CSV CSVWithNames CSVWithNamesAndTypes Values SQLInsert Vertical Markdown MD XML Null ' +
    'JSON JSONStrings JSONColumns JSONColumnsWithMetadata JSONCompact JSONCompactStrings ' +
    'JSONCompactColumns JSONEachRow JSONLines JSONL NDJSON JSONStringsEachRow PrettyJSONEachRow ' +
    'PrettyJSONLines PrettyNDJSON JSONCompactEachRow JSONCompactEachRowWithNames ' +
    'JSONCompactEachRowWithNamesAndTypes JSONCompactStringsEachRow ' +
    'JSONCompactStringsEachRowWithNames JSONCompactStringsEachRowWithNamesAndTypes ' +
    'JSONObjectEachRow BSONEachRow ' +
    'Pretty PrettyCompact PrettyCompactMonoBlock PrettyMonoBlock PrettyNoEscapes ' +
    'PrettyCompactNoEscapes PrettyCompactNoEscapesMonoBlock PrettyNoEscapesMonoBlock ' +
    'PrettySpace PrettySpaceMonoBlock PrettySpaceNoEscapes PrettySpaceNoEscapesMonoBlock ' +
    'Arrow ArrowStream Parquet ORC Avro Native RowBinary RowBinaryWithNames ' +
    'RowBinaryWithNamesAndTypes MsgPack Npy'
  )
    .split(' ')
    .map((name) => name.toLowerCase()),
);

/** `name` must be in lower case. */
export function isDeniedName(name: string): boolean {
  return DENIED_FUNCTIONS.has(name) || FUNCTION_PREFIXES.some((prefix) => name.startsWith(prefix));
}
