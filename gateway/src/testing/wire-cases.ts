import { readFileSync } from 'node:fs';

/** One line of a table of cases: `status | origin | name | bytes`, with the clause above it. */
export interface WireCase {
  readonly clause: string;
  readonly status: string;
  readonly origin: string;
  readonly name: string;
  readonly bytes: string;
}

/**
 * Reads a table of cases. `//` begins a comment and `# ` begins a clause. In `origin` and `bytes`, ¶ means CR LF,
 * `{name}` is replaced by a text of `macros`, `<n*text>` means n times the text, and each of \r \n \t \0 \\ \xNN means
 * one byte.
 */
export function readWireCases(
  file: string,
  macros: Readonly<Record<string, string>>,
): readonly WireCase[] {
  const cases: WireCase[] = [];
  let clause = '';
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('//')) continue;
    if (line.startsWith('# ')) {
      clause = line.slice(2);
      continue;
    }
    const [status = '', origin = '', name = '', bytes] = line.split(' | ');
    if (bytes === undefined) throw new TypeError(`no case of four columns: ${line}`);
    const spell = (text: string) => unescape(text, macros);
    cases.push({ clause, status, origin: spell(origin), name, bytes: spell(bytes) });
  }
  return cases;
}

const MARKS: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', 0: '\0', '\\': '\\' };

function unescape(text: string, macros: Readonly<Record<string, string>>): string {
  return text
    .replace(/\{(\w+)\}/g, (all, name: string) => macros[name] ?? all)
    .replaceAll('¶', '\r\n')
    .replace(/<(\d+)\*([^>]*)>/g, (_all, times: string, piece: string) =>
      piece.repeat(Number(times)),
    )
    .replace(/\\(?:x([0-9a-f]{2})|([rnt0\\]))/g, (_all, code: string | undefined, mark: string) =>
      code === undefined ? (MARKS[mark] ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
    );
}
