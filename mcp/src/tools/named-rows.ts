/** Rows with column names. A value is the text that the database wrote, or null for NULL. */
export interface NamedRows {
  readonly columns: readonly (string | null)[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/**
 * The escapes of ClickHouse's TabSeparated formats: for each character after a backslash, the character that the escape
 * means.
 */
const CHARACTER_BY_ESCAPE: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  0: '\0',
};

/**
 * Parses TabSeparatedWithNames, which has the column names in its first line. `shownText` returns the form in which a
 * text is shown.
 */
export function parseNamedRows(text: string, shownText: (value: string) => string): NamedRows {
  const parseLine = (line: string): (string | null)[] =>
    line.split('\t').map((field) => (field === '\\N' ? null : shownText(unescapeField(field))));
  const [columns = [], ...rows] = text.split('\n').slice(0, -1).map(parseLine);
  return { columns, rows };
}

function unescapeField(field: string): string {
  return field.replaceAll(
    /\\(.)/gs,
    (_both, letter: string) => CHARACTER_BY_ESCAPE[letter] ?? letter,
  );
}
