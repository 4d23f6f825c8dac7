/**
 * Formats a `FORMAT` clause may name. Left out: those that read a schema or template from a file
 * (Template, Protobuf, CapnProto), those that report progress over all organisations' rows, and wire
 * protocols of other databases.
 */
const FORMATS = new Set(
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

/** `name` in lower case; the database itself does not mind the case. */
export function isAllowedFormat(name: string): boolean {
  return FORMATS.has(name);
}
