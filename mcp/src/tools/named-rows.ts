/** Rows with column names. A value is the text that the database wrote, or null for NULL. */
interface NamedRows {
  readonly columns: readonly (string | null)[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** The characters after a backslash in ClickHouse's TabSeparated formats that mean another one. */
const ESCAPED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  0: '\0',
};

/** Parses TabSeparatedWithNames, which has the column names in its first line. */
export function parseNamedRows(text: string): NamedRows {
  const [columns = [], ...rows] = text.split('\n').slice(0, -1).map(parseLine);
  return { columns, rows };
}

function parseLine(line: string): (string | null)[] {
  return line.split('\t').map((field) => (field === '\\N' ? null : unescape(field)));
}

function unescape(field: string): string {
  return field.replaceAll(/\\(.)/gs, (_both, letter: string) => ESCAPED[letter] ?? letter);
}
