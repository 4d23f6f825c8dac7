import type { Reading } from './reading.ts';

/** Fields in which one value can contain commas: lists (RFC 9110 section 5.6.1), dates, addresses and program names. */
const HAS_COMMAS =
  /^(?:accept(?:-|$)|sec-ch-ua|cache-control$|connection$|cookie$|forwarded$|from$|if-|pragma$|prefer$|priority$|range$|referer$|te$|user-agent$|via$|x-forwarded-)/;

/**
 * Compiles the test of one header field. `name` is in lower case.
 *
 * The reading `some` tests every value that some origin could use for the field. When a field is sent twice, origins
 * use the first or the last value, so one matching value is enough. A name with `_` in place of `-` is the same name,
 * because CGI, WSGI and PHP treat both as equal. The reading `every` tests only the exact name with the joined value.
 */
export function compileField(
  name: string,
  matches: (value: string) => boolean,
  reading: Reading,
): (fields: Readonly<Record<string, string>>) => boolean {
  if (reading === 'every') {
    // `name` can also be the name of an inherited property, so the value must be a string.
    return ({ [name]: value }) => typeof value === 'string' && matches(value);
  }
  const matchesTrimmed = (value: string) => matches(value.trim());
  const foldedName = fold(name);
  const isSplit = !HAS_COMMAS.test(name);
  const matchesField = (value: unknown) =>
    typeof value === 'string' &&
    (matches(value) || (isSplit && value.includes(',') && value.split(',').some(matchesTrimmed)));
  return (fields) => {
    if (matchesField(fields[name])) return true;
    for (const sentName in fields) {
      if (sentName.includes('_') && fold(sentName) === foldedName && matchesField(fields[sentName]))
        return true;
    }
    return false;
  };
}

function fold(name: string): string {
  return name.replaceAll('_', '-');
}
