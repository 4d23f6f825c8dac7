/** Rows with column names. Values are the text that the database wrote, or null for NULL. */
interface NamedRows {
  readonly columns: readonly (string | null)[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** The meaning of a backslash and a letter in ClickHouse's TabSeparated formats. Others stand for themselves. */
const ESCAPED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  0: '\0',
};

/** Parses TabSeparatedWithNames: the first line has the names. */
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
