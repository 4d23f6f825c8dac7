/**
 * Names that no statement may contain. The organisation's account has no right to other tables, to the network or to
 * write. The names below need no right, and could still read files, learn about the machine, or get around the row
 * policy.
 */

/** Refused everywhere, even without parentheses, because `arrayMap(file, …)` and `APPLY(file)` call them too. */
const FUNCTIONS = new Set(
  [
    // Read files of the machine, or load models from them.
    'file catboostEvaluate evalMLMethod naiveBayesClassifier naiveBayesClassifierWithProb',
    'naiveBayesClassifierWithAllProbs showCertificate',
    // Ask another server.
    'aiClassify aiEmbed aiExtract aiGenerate aiTranslate reverseDNSQuery',
    // Read other tables by a name in a string.
    'joinGet joinGetOrNull dictHas dictIsIn hasColumnInTable eval executable',
    // Tell about the server, its settings or its machine.
    'getClientHTTPHeader getMacro getMaxTableNameLengthForDatabase getMergeTreeSetting',
    'getOSKernelVersion getServerPort getServerSetting getSetting getSettingOrDefault',
    'globalVariable hostName hostname FQDN fullHostName tcpPort serverUUID buildId uptime tid',
    'filesystemAvailable filesystemCapacity filesystemUnreserved addressToLine',
    'addressToLineWithInlines addressToSymbol demangle hasThreadFuzzer connectionId connection_id',
    'transactionID transactionLatestSnapshot transactionOldestSnapshot zookeeperSessionUptime',
    'isMergeTreePartCoveredBy shardCount shardNum',
    // Called without parentheses too. They tell the name of the account, which is also the column `organisation`.
    'user currentUser current_user session_user',
    // Occupy a slot without doing work, or write to the server's log.
    'sleep sleepEachRow logTrace generateSerialID',
    // Columns of the storage: offsets and sizes are over all organisations' rows.
    '_part _part_index _part_offset _part_starting_offset _part_uuid _part_data_version',
    '_part_granule_offset _partition_id _partition_value _sample_factor _block_number',
    '_block_offset _row_exists _disk_name _shard_num _table _database _distance _query_id',
  ]
    .flatMap((line) => line.split(' '))
    .map((name) => name.toLowerCase()),
);

/** Families of functions; new members come with new versions of the database. */
const FUNCTION_PREFIXES = ['dictget', 'mergetree', '__'];

/** Databases about the server itself. The account can read a few tables of the first one. */
export const SERVER_DATABASES: ReadonlySet<string> = new Set(['system', 'information_schema']);

/** The only table functions that a statement may read from. They make rows and read nothing. */
export const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(
  'numbers numbers_mt generateseries generate_series values'.split(' '),
);

/**
 * Refused when they are called, anywhere. The names alone are allowed, because some are good aliases (`AS url`, `AS
 * version`). First come table functions, without `format`, which is also a scalar function. Then come functions about the
 * server, the session, or the storage.
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
 * Formats that a `FORMAT` clause may name. Not allowed are formats that read a schema or template from a file
 * (Template, Protobuf, CapnProto), those that report progress over all organisations' rows, and wire
 * protocols of other databases. In lower case. The database ignores case.
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

/** `name` in lower case. */
export function isDeniedName(name: string): boolean {
  return FUNCTIONS.has(name) || FUNCTION_PREFIXES.some((prefix) => name.startsWith(prefix));
}
