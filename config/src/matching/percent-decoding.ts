/**
 * Percent-decoding as lenient servers do it, for path-readings.ts. Not for decoding anything that is
 * then used: overlong and broken UTF-8 are accepted here because some origin accepts them.
 */

/**
 * Which escapes are undone: those of unreserved characters (RFC 3986 6.2.2.2); all that spell bytes, as
 * most servers do; or what the most generous ones take for an escape besides.
 */
export type DecodeScope = 'unreserved' | 'bytes' | 'all';

const UNRESERVED = /%(?:2[de]|3[0-9]|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi;
const BYTES = /(?:%[0-9a-f]{2})+/gi;
const ALL = /%u[0-9a-f]{4}|(?:%[0-9a-f]{2})+/gi;

/**
 * Undoes one level of escapes; what is no escape stays as it is. A byte that is no UTF-8 becomes the
 * Latin-1 character of its value. With `all`, `%uXXXX` (IIS) is decoded too, and overlong UTF-8
 * (`%c0%af`) becomes the character it spells. The result is never longer than the path.
 */
export function decodePercent(path: string, scope: DecodeScope): string {
  if (!path.includes('%')) return path;
  if (scope === 'unreserved') {
    return path.replace(UNRESERVED, (escape) => String.fromCharCode(hex(escape, 1)));
  }
  if (scope === 'bytes') return path.replace(BYTES, (run) => decodeBytes(run, false));
  return path.replace(ALL, (run) =>
    run[1] === 'u' || run[1] === 'U' ? String.fromCharCode(hex(run, 2)) : decodeBytes(run, true),
  );
}

function hex(text: string, from: number): number {
  return Number.parseInt(text.slice(from), 16);
}

/** A run of `%XX`, as characters. */
function decodeBytes(run: string, overlong: boolean): string {
  const byteAt = (index: number): number =>
    Number.parseInt(run.slice(index * 3 + 1, index * 3 + 3), 16);
  const count = run.length / 3;
  let text = '';
  for (let index = 0; index < count;) {
    const { codePoint, length } = readSequence(byteAt, index, count, overlong);
    text += String.fromCodePoint(codePoint);
    index += length;
  }
  return text;
}

/** The smallest code point that needs a sequence of so many bytes. */
const SMALLEST: Readonly<Record<number, number>> = { 2: 0x80, 3: 0x800, 4: 0x1_0000 };

/** One UTF-8 sequence of two to four bytes, overlong or not; else one byte. */
function readSequence(
  byteAt: (index: number) => number,
  start: number,
  count: number,
  overlong: boolean,
): { codePoint: number; length: number } {
  const lead = byteAt(start);
  const length = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : 2;
  const single = { codePoint: lead, length: 1 };
  if (lead < 0xc0 || lead >= 0xf8 || start + length > count) return single;
  let codePoint = lead & (0xff >> (length + 1));
  for (let index = start + 1; index < start + length; index++) {
    const byte = byteAt(index);
    if ((byte & 0xc0) !== 0x80) return single;
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  if (!overlong && codePoint < (SMALLEST[length] ?? 0)) return single;
  return codePoint > 0x10ffff ? single : { codePoint, length };
}
