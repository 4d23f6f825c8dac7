import { decodePercent } from './percent-decoding.ts';
import { roomFor, textIn } from './text-room.ts';

/**
 * The single steps that servers apply to a request path, for path-readings.ts. The time of each step is linear in the
 * length of the path. Only {@link compatible} can make the path longer.
 */

/** Returns the same string when the step changes nothing. */
export type PathStep = (path: string) => string;

const SLASH = 0x2f;
const DOT = 0x2e;
const BLANK = 0x20;
const COLON = 0x3a;
const DOLLAR = 0x24;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;

export function decodeUnreserved(path: string): string {
  return decodePercent(path, 'unreserved');
}

export function decodeBytes(path: string): string {
  return decodePercent(path, 'bytes');
}

export function decodeAll(path: string): string {
  return decodePercent(path, 'all');
}

/** NUL ends a string in C. An escaped `?` or `#` ends the path for a second parser. */
export function cutAtEnd(path: string): string {
  const end = path.search(/[\0?#]/);
  return end === -1 ? path : path.slice(0, end);
}

/** Some routers take `;` for the beginning of the query (Fastify 4, and 5 with `useSemicolonDelimiter`). */
export function cutAtSemicolon(path: string): string {
  const end = path.indexOf(';');
  return end === -1 ? path : path.slice(0, end);
}

export function backslashes(path: string): string {
  if (!path.includes('\\')) return path;
  const room = roomFor(path.length);
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at);
    room[at] = code === BACKSLASH ? SLASH : code;
  }
  return textIn(room, path.length);
}

/** Removes the parameters of each segment (RFC 3986 3.3): `/a;v=1/b` is `/a/b`. */
export function dropParameters(path: string): string {
  if (!path.includes(';')) return path;
  const room = roomFor(path.length);
  let length = 0;
  let isParameter = false;
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at);
    if (code === SEMICOLON) isParameter = true;
    else if (code === SLASH) isParameter = false;
    if (!isParameter) room[length++] = code;
  }
  return textIn(room, length);
}

export function mergeSlashes(path: string): string {
  if (!path.includes('//')) return path;
  const room = roomFor(path.length);
  let length = 0;
  let previousCode = 0;
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at);
    if (code !== SLASH || previousCode !== SLASH) room[length++] = code;
    previousCode = code;
  }
  return textIn(room, length);
}

/** RFC 3986 5.2.4 remove_dot_segments; `..` at the root stays at the root. */
export function resolveDots(path: string): string {
  if (!/(?:^|\/)\.\.?(?:\/|$)/.test(path)) return path;
  const room = roomFor(path.length + 1);
  let length = 0;
  for (let start = path.startsWith('/') ? 1 : 0; start <= path.length;) {
    const end = segmentEnd(path, start);
    const dots = dotsBetween(path, start, end);
    if (dots === 0) {
      room[length++] = SLASH;
      for (let at = start; at < end; at++) room[length++] = path.charCodeAt(at);
    } else {
      if (dots === 2) length = lastSegment(room, length);
      if (end === path.length) room[length++] = SLASH;
    }
    start = end + 1;
  }
  return textIn(room, length);
}

function segmentEnd(path: string, start: number): number {
  let end = start;
  while (end < path.length && path.charCodeAt(end) !== SLASH) end++;
  return end;
}

function lastSegment(room: Uint16Array, length: number): number {
  let at = Math.max(0, length - 1);
  while (at > 0 && room[at] !== SLASH) at--;
  return at;
}

/** The result is 1 for the segment `.`, 2 for `..`, 0 for any other segment. */
function dotsBetween(path: string, start: number, end: number): 0 | 1 | 2 {
  if (end - start > 2 || path.charCodeAt(start) !== DOT) return 0;
  if (end - start === 1) return 1;
  return end - start === 2 && path.charCodeAt(start + 1) === DOT ? 2 : 0;
}

/**
 * The names that a file system of Windows opens: without dots and blanks at the end of a name, and without a stream
 * after it (`/admin./x`, `/admin%20/x`, `/admin::$DATA`). `.` and `..` stay, also when blanks follow them.
 */
export function windowsNames(path: string): string {
  if (!/[. ](?:\/|$)|\$/.test(path)) return path;
  const room = roomFor(path.length);
  let length = 0;
  for (let start = 0; start <= path.length;) {
    const end = segmentEnd(path, start);
    let nameEnd = streamAt(path, start, end);
    let dots = 0;
    for (; nameEnd > start; nameEnd--) {
      const code = path.charCodeAt(nameEnd - 1);
      if (code === DOT) dots++;
      else if (code !== BLANK) break;
    }
    for (let at = start; at < nameEnd; at++) room[length++] = path.charCodeAt(at);
    if (nameEnd === start && dots <= 2) for (; dots > 0; dots--) room[length++] = DOT;
    if (end < path.length) room[length++] = SLASH;
    start = end + 1;
  }
  return textIn(room, length);
}

/** The start of a segment's stream: a colon and a dollar. The end of the segment when it has no stream. */
function streamAt(path: string, start: number, end: number): number {
  let colon = end;
  for (let at = start; at < end; at++) {
    const code = path.charCodeAt(at);
    if (code === COLON && colon === end) colon = at;
    else if (code === DOLLAR && colon < end) return colon;
  }
  return end;
}

/** Removes control characters: the URL parser drops tabs and line breaks, other parsers drop NUL or trim the end. */
export function dropControls(path: string): string {
  return path.replace(/[\0-\x1f\x7f]+/g, '');
}

/** Decodes unescaped bytes as UTF-8. In the path they are Latin-1 characters, but most origins read them as UTF-8. */
export function sentAsUtf8(path: string): string {
  if (!/[\x80-\xff]/.test(path) || /[^\0-\xff]/.test(path)) return path;
  const decodedPath = Buffer.from(path, 'latin1').toString();
  return decodedPath.includes('\ufffd') ? path : decodedPath;
}

/**
 * Replaces look-alike letters (NFKC): full-width `ａ` becomes `a`, and `／` a slash. The dotless `ı` becomes `i`, because
 * some programs compare in upper case (Java).
 */
export function compatible(path: string): string {
  return path.normalize('NFKC').replaceAll('ı', 'i');
}

/**
 * The path after the part that the URL parser reads as an authority: `new URL(target, base)` reads `//x/admin`,
 * `/\x/admin` and `///x/admin` as `/admin` of the host x.
 */
export function webAuthority(path: string): string {
  const mark = /^[/\\]{2,}[^/\\]*/.exec(path)?.[0];
  return mark === undefined ? path : path.slice(mark.length) || '/';
}

/**
 * The path after the authority as RFC 3986 section 3.2 defines it. There `\` is not a slash, and a host may be empty.
 * PHP, Python and Java read paths in this way.
 */
export function uriAuthority(path: string): string {
  if (!path.startsWith('//')) return path;
  const slash = path.indexOf('/', 2);
  return slash === -1 ? '/' : path.slice(slash);
}
