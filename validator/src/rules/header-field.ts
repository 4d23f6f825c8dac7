import type { Reading } from './reading.ts';

type Fields = Readonly<Record<string, string>>;

/**
 * Fields whose single value can contain commas: lists (RFC 9110 section 5.6.1), dates, addresses, names of programs.
 */
const HAS_COMMAS =
  /^(?:accept(?:-|$)|sec-ch-ua|cache-control$|connection$|cookie$|forwarded$|from$|if-|pragma$|prefer$|priority$|range$|referer$|te$|user-agent$|via$|x-forwarded-)/;

/**
 * Compiles the test of one header field. `name` is in lower case.
 *
 * With the reading `some`, everything counts that some origin could take for the field: one value of several, because
 * origins take the first or the last value of a field that was sent twice; and a name with `_` instead of `-`,
 * because CGI, WSGI and PHP do not tell them apart. With the reading `every`, only the exact name with the joined
 * value counts.
 */
export function compileField(
  name: string,
  matches: (value: string) => boolean,
  reading: Reading,
): (fields: Fields) => boolean {
  if (reading === 'every') {
    // The check for a string is needed because a name can be that of an inherited property.
    return ({ [name]: value }) => typeof value === 'string' && matches(value);
  }
  const isMetTrimmed = (value: string) => matches(value.trim());
  const folded = fold(name);
  const isSplit = !HAS_COMMAS.test(name);
  const isMetByOne = (value: unknown) =>
    typeof value === 'string' &&
    (matches(value) || (isSplit && value.includes(',') && value.split(',').some(isMetTrimmed)));
  return (fields) => {
    if (isMetByOne(fields[name])) return true;
    for (const sent in fields) {
      if (sent.includes('_') && fold(sent) === folded && isMetByOne(fields[sent])) return true;
    }
    return false;
  };
}

function fold(name: string): string {
  return name.replaceAll('_', '-');
}
