import { decodePercent } from '@guard/config/matching/percent-decoding';
import type { Reading } from './reading.ts';

const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;

/**
 * Compiles the test of one parameter of a query (`a=1&b=2`, without its question mark). `name` is in lower
 * case, and so is what it is compared with: some origins do not tell case apart. A parameter that was sent
 * twice has as many values, and origins take the first or the last of them; one that is missing has none.
 *
 * What some origin takes for the parameter, such as `q[]`, `q.x` or ` q`, counts too: it is enough for what
 * is strict. What is lenient needs the name itself, and no value under another name that does not match.
 */
export function compileParameter(
  name: string,
  matches: (value: string) => boolean,
  reading: Reading,
): (query: string) => boolean {
  const decides = reading === 'some';

  /** `enough` when one field decides; `sent` when one has the very name. `last` ends fields beside `&`. */
  function look(query: string, last: number): 'enough' | 'sent' | 'nothing' {
    let found: 'sent' | 'nothing' = 'nothing';
    for (let start = 0; start < query.length;) {
      let equals = -1;
      let end = start;
      for (; end < query.length; end++) {
        const code = query.charCodeAt(end);
        if (code === AMPERSAND || code === last) break;
        if (code === EQUALS && equals === -1) equals = end;
      }
      const nameEnd = equals === -1 ? end : equals;
      const sent = nameOf(query, start, nameEnd, name);
      if (sent === name || (sent !== '' && isTakenFor(name, sent))) {
        if (matches(decoded(query.slice(nameEnd + 1, end))) === decides) return 'enough';
        if (sent === name) found = 'sent';
      }
      start = end + 1;
    }
    return found;
  }

  return (query) => {
    const found = look(query, AMPERSAND);
    if (found === 'enough') return decides;
    // Older origins separate at `;` too, and take less for the value.
    if (query.includes(';') && look(query, SEMICOLON) === 'enough') return decides;
    return found === 'sent' && !decides;
  };
}

/** The name of a field, decoded and in lower case; empty if it cannot be the wanted name. */
function nameOf(query: string, start: number, end: number, wanted: string): string {
  // Decoding makes nothing longer.
  if (end - start < wanted.length) return '';
  const sent = decoded(query.slice(start, end)).toLowerCase();
  return wanted.includes('_') || sent.includes(wanted) ? sent : '';
}

/**
 * Whether some origin reads one name as another: PHP cuts it at NUL, drops blanks in front, and makes an array
 * of `q[]` and `q_x` of `q.x` and `q[x`; the parsers of Node and Rack make an object of `q[x]`, `q.x` and `[q]`.
 */
function isTakenFor(name: string, sent: string): boolean {
  const [text = ''] = sent.replace(/^[\0-\x1f\s.\][]+/, '').split('\0', 1);
  const [base = ''] = text.split(/[\][.]/, 1);
  if (text.trimEnd() === name || base.trimEnd() === name) return true;
  if (!name.includes('_')) return false;
  const [beforeArray = ''] = text.split('[', 1);
  return mangled(text) === name || mangled(beforeArray) === name;
}

/** As PHP writes a name that its variables could not have. */
function mangled(name: string): string {
  return name.replace(/[ .[]/g, '_');
}

/** As application/x-www-form-urlencoded is read (URL standard 5.1). */
function decoded(text: string): string {
  return decodePercent(text.replaceAll('+', ' '), 'all');
}
