import { roomFor, textIn } from './text-room.ts';

/**
 * Percent-decoding as in lenient servers, for path-readings.ts. Use the result only to compare paths, because it may
 * come from overlong or broken UTF-8, which some origins accept.
 */

/**
 * Which escapes are decoded. `unreserved`: the escapes of unreserved characters (RFC 3986 section 6.2.2.2). `bytes`:
 * all escapes of bytes, as in most servers. `all`: also the other forms that the most lenient servers accept.
 */
type DecodeScope = 'unreserved' | 'bytes' | 'all';

const PERCENT = 0x25;
const NO_BYTE = -1;

/** The value of each hexadecimal digit by its character code. For other codes {@link NO_BYTE}. */
const DIGITS = new Int8Array(128).fill(NO_BYTE);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

const UNRESERVED = new Uint8Array(256);
for (let code = 0; code < 128; code++) {
  if (/[A-Za-z0-9\-._~]/.test(String.fromCharCode(code))) UNRESERVED[code] = 1;
}

/**
 * Decodes one level of escapes. Other text stays unchanged. A byte that is not UTF-8 becomes the Latin-1 character of
 * its value. With `all`, `%uXXXX` (IIS) is decoded too, and overlong UTF-8 (`%c0%af`) becomes the character that it
 * encodes. The result is never longer than the path.
 */
export function decodePercent(path: string, scope: DecodeScope): string {
  if (!path.includes('%')) return path;
  const room = roomFor(path.length);
  let length = 0;
  for (let at = 0; at < path.length;) {
    const code = path.charCodeAt(at);
    const byte = code === PERCENT ? byteAt(path, at) : NO_BYTE;
    if (byte === NO_BYTE) {
      const unit = code === PERCENT && scope === 'all' ? unitAt(path, at) : NO_BYTE;
      room[length++] = unit === NO_BYTE ? code : unit;
      at += unit === NO_BYTE ? 1 : 6;
    } else if (scope === 'unreserved') {
      const isUnreserved = UNRESERVED[byte] === 1;
      room[length++] = isUnreserved ? byte : code;
      at += isUnreserved ? 3 : 1;
    } else {
      const character = characterAt(path, at, byte, scope === 'all');
      const codePoint = character >> 4;
      if (codePoint > 0xffff) room[length++] = 0xd800 + ((codePoint - 0x1_0000) >> 10);
      room[length++] = codePoint > 0xffff ? 0xdc00 + (codePoint & 0x3ff) : codePoint;
      at += character & 0xf;
    }
  }
  return textIn(room, length);
}

function digitAt(path: string, at: number): number {
  const code = path.charCodeAt(at);
  return code < 128 ? (DIGITS[code] ?? NO_BYTE) : NO_BYTE;
}

/** {@link NO_BYTE} when there is no escape at this index. */
function byteAt(path: string, at: number): number {
  if (path.charCodeAt(at) !== PERCENT) return NO_BYTE;
  const high = digitAt(path, at + 1);
  const low = digitAt(path, at + 2);
  return high === NO_BYTE || low === NO_BYTE ? NO_BYTE : high * 16 + low;
}

/** {@link NO_BYTE} when there is no `%uXXXX` at this index. */
function unitAt(path: string, at: number): number {
  if (path.charCodeAt(at) !== PERCENT || (path.charCodeAt(at + 1) | 0x20) !== 0x75) return NO_BYTE;
  let unit = 0;
  for (let index = at + 2; index < at + 6; index++) {
    const digit = digitAt(path, index);
    if (digit === NO_BYTE) return NO_BYTE;
    unit = unit * 16 + digit;
  }
  return unit;
}

/** The smallest code point that needs a UTF-8 sequence of this many bytes. The index is the number of bytes. */
const SMALLEST = [0, 0, 0x80, 0x800, 0x1_0000] as const;

/**
 * Decodes the UTF-8 sequence of two to four bytes that begins with `lead`, or this byte alone when there is no such
 * sequence. Returns the code point times 16, plus the length of the escapes. The result is a single number, because an
 * object for each character would double the time.
 */
function characterAt(path: string, start: number, lead: number, takesOverlong: boolean): number {
  const singleByte = (lead << 4) | 3;
  if (lead < 0xc0 || lead >= 0xf8) return singleByte;
  const bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  let codePoint = lead & (0xff >> (bytes + 1));
  for (let index = 1; index < bytes; index++) {
    const byte = byteAt(path, start + 3 * index);
    if (byte < 0x80 || byte > 0xbf) return singleByte;
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  const isOdd = codePoint > 0x10ffff || (!takesOverlong && codePoint < SMALLEST[bytes]);
  return isOdd ? singleByte : (codePoint << 4) | (3 * bytes);
}
