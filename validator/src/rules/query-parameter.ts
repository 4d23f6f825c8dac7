import { decodePercent } from '@guard/config/matching/percent-decoding';
import type { Reading } from './reading.ts';

/**
 * Compiles the test of one parameter of a query (`a=1&b=2`, without its question mark). `name` is in lower
 * case, and so is what it is compared with: some origins do not tell case apart. A parameter that was sent
 * twice has as many values, and origins take the first or the last of them; one that is missing has none.
 */
export function compileParameter(
  name: string,
  matches: (value: string) => boolean,
  reading: Reading,
): (query: string) => boolean {
  return (query) => {
    let isSent = false;
    for (let start = 0; start < query.length;) {
      const ampersand = query.indexOf('&', start);
      const end = ampersand === -1 ? query.length : ampersand;
      const value = valueOf(query.slice(start, end), name);
      start = end + 1;
      if (value === undefined) continue;
      isSent = true;
      if (matches(value) === (reading === 'some')) return reading === 'some';
    }
    return isSent && reading === 'every';
  };
}

/** The decoded value of one `name=value`; undefined when it has another name. */
function valueOf(field: string, name: string): string | undefined {
  const equals = field.indexOf('=');
  const end = equals === -1 ? field.length : equals;
  if (decoded(field.slice(0, end)).toLowerCase() !== name) return undefined;
  return decoded(field.slice(end + 1));
}

/** As application/x-www-form-urlencoded is read (URL standard 5.1). */
function decoded(text: string): string {
  return decodePercent(text.replaceAll('+', ' '), 'all');
}
