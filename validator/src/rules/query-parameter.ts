import { decodePercent } from '@guard/config/matching/percent-decoding';
import type { Reading } from './reading.ts';

const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;

/**
 * Compiles the test of one parameter of a query (`a=1&b=2`, without its question mark). `name` is in lower case. Names
 * are compared in lower case, because some origins ignore case. A parameter that is sent twice has two values, because
 * origins use the first or the last one. A missing parameter has no value.
 *
 * The reading `some` also tests fields under other names that some origin could take for the parameter, such as `q[]`
 * or `q.x`. The reading `every` requires a field with the exact name. Then every value must match, including values
 * under the other names.
 */
export function compileParameter(
  name: string,
  matches: (value: string) => boolean,
  reading: Reading,
): (query: string) => boolean {
  const decides = reading === 'some';

  /**
   * Searches the fields. `enough`: one field has decided the result. `sent`: no field has decided, and at least one
   * field has the exact name. `otherSeparator` is a second separator in addition to `&`.
   */
  function search(query: string, otherSeparator: number): 'enough' | 'sent' | 'nothing' {
    let result: 'sent' | 'nothing' = 'nothing';
    for (let start = 0; start < query.length;) {
      let equals = -1;
      let end = start;
      for (; end < query.length; end++) {
        const code = query.charCodeAt(end);
        if (code === AMPERSAND || code === otherSeparator) break;
        if (code === EQUALS && equals === -1) equals = end;
      }
      const nameEnd = equals === -1 ? end : equals;
      const sentName = nameOf(query, start, nameEnd, name);
      if (sentName === name || (sentName !== '' && isTakenFor(name, sentName))) {
        if (matches(decodeField(query.slice(nameEnd + 1, end))) === decides) return 'enough';
        if (sentName === name) result = 'sent';
      }
      start = end + 1;
    }
    return result;
  }

  return (query) => {
    const result = search(query, AMPERSAND);
    if (result === 'enough') return decides;
    // Older origins also separate fields at `;`, so for them the value can be shorter.
    if (query.includes(';') && search(query, SEMICOLON) === 'enough') return decides;
    return result === 'sent' && !decides;
  };
}

/** The name of a field, decoded and in lower case. Empty when it is certain that the field is another parameter. */
function nameOf(query: string, start: number, end: number, wantedName: string): string {
  // Decoding never makes a name longer, so a shorter name cannot be `wantedName`.
  if (end - start < wantedName.length) return '';
  const sentName = decodeField(query.slice(start, end)).toLowerCase();
  return wantedName.includes('_') || sentName.includes(wantedName) ? sentName : '';
}

/**
 * Whether some origin could read the sent name as `name`. PHP cuts a name at NUL, drops leading blanks, reads `q[]` as
 * an array, and reads `q.x` and `q[x` as `q_x`. Parsers of Node and Rack turn `q[x]`, `q.x` and `[q]` into objects.
 * URLSearchParams drops a question mark in front (URL standard, section 6.2), so Koa 3 reads `??q=1` as `q`.
 */
function isTakenFor(name: string, sentName: string): boolean {
  const [text = ''] = sentName.replace(/^\??[\0-\x1f\s.\][]*/, '').split('\0', 1);
  const [base = ''] = text.split(/[\][.]/, 1);
  if (text.trimEnd() === name || base.trimEnd() === name) return true;
  if (!name.includes('_')) return false;
  const [beforeArray = ''] = text.split('[', 1);
  return mangleName(text) === name || mangleName(beforeArray) === name;
}

/** Replaces characters as PHP does, because names of PHP variables cannot contain them. */
function mangleName(name: string): string {
  return name.replace(/[ .[]/g, '_');
}

/** Decodes application/x-www-form-urlencoded (URL standard, section 5.1). */
function decodeField(text: string): string {
  return decodePercent(text.replaceAll('+', ' '), 'all');
}
