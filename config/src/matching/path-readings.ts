import { decodePercent } from './percent-decoding.ts';

/**
 * One request path, as the different origins behind a gateway would understand it. A rule that looks
 * at one spelling only is walked around with another: `//admin`, `/%61dmin`, `/assets/..;/admin`.
 *
 * Protecting is right when *any* reading matches; exempting (`skip`, or a rule that allows) only
 * when *all* do.
 */

/** Most readings one path can have: the length of the table below. */
export const MAX_READINGS = 24;

/** What a server does to a path, in its order. No step makes a path longer. */
type Reader = readonly ((path: string) => string)[];

/**
 * Who reads paths like that. The table is the bound: no path, however it is made, has more readings
 * than it has lines, and none is ever left out.
 *
 * Where nothing but `unreserved` is decoded, `%2F` stays part of its segment. This matters, because
 * `..` then climbs further: `/assets/a%2fb/%2e%2e/%2e%2e/admin` is `/admin` to such a reader and
 * `/assets/admin` to one that decodes everything.
 */
const READERS: readonly Reader[] = [
  // As sent: routers that compare the raw target.
  [],
  // RFC 3986 6.2.2 normalisation; the URL standard's parser, which also takes `\` for `/`; proxies
  // that merge slashes; servlet containers that leave %2F alone.
  [unreserved, resolveDots],
  [unreserved, backslashes, resolveDots],
  [unreserved, mergeSlashes, resolveDots],
  [unreserved, cutAtEnd, backslashes, dropParameters, mergeSlashes, resolveDots],
  // Applications of Node and others that decode what the parser of URLs made of it.
  [unreserved, resolveDots, bytes],
  [unreserved, backslashes, resolveDots, bytes],
  // Decoded once: handlers that decode and compare; most servers; the rest.
  [bytes],
  [bytes, mergeSlashes, resolveDots],
  [all],
  [all, resolveDots],
  [all, mergeSlashes, resolveDots],
  [all, dropParameters, mergeSlashes, resolveDots],
  [all, cutAtEnd, backslashes, dropParameters, mergeSlashes, resolveDots],
  // Servlet containers look for parameters before they decode: there `%3b` begins none.
  [dropParameters, bytes, backslashes, mergeSlashes, resolveDots],
  [dropParameters, all, backslashes, mergeSlashes, resolveDots],
  // Decoded by one hop and normalised by the next.
  [all, unreserved, backslashes, resolveDots],
  [all, unreserved, cutAtEnd, backslashes, dropParameters, mergeSlashes, resolveDots],
  // Decoded twice; with a proxy that normalises what it passes on, in between.
  [all, all],
  [all, all, resolveDots],
  [all, all, mergeSlashes, resolveDots],
  [all, all, cutAtEnd, backslashes, dropParameters, mergeSlashes, resolveDots],
  [bytes, mergeSlashes, resolveDots, unreserved, backslashes, resolveDots, bytes],
  [bytes, mergeSlashes, resolveDots, dropParameters, all, backslashes, mergeSlashes, resolveDots],
];

/**
 * Every plausible reading of a raw request path (without its query), each once, the path as sent
 * first; at most {@link MAX_READINGS}, each no longer than the input. A plain path is its own only
 * reading and is returned without work. Case is kept. Time and memory are linear in the path, whose
 * length the caller bounds (`VALIDATE.maxUrlLength`, 16 KiB).
 */
export function readingsOf(rawPath: string): readonly string[] {
  if (isPlain(rawPath)) return [rawPath];
  const decoded = all(rawPath);
  if (!AMBIGUOUS.test(decoded)) {
    // Escapes that hide nothing, such as %20: readers differ only in whether they undo them.
    return [...new Set([rawPath, unreserved(rawPath), bytes(rawPath), decoded])];
  }
  const readings = new Set<string>();
  for (const steps of READERS) readings.add(steps.reduce((path, step) => step(path), rawPath));
  return [...readings];
}

/** What any of the readers' steps would change, or decode once more. */
const AMBIGUOUS = /[\\;%?#\0]|\/\/|(^|\/)\.\.?(\/|$)/;

/** The characters of RFC 3986 `pchar` that no reader treats specially: no `%`, no `;`. */
const PLAIN = new Uint8Array(128);
for (const character of "-._~!$&'()*+,=:@/") PLAIN[character.charCodeAt(0)] = 1;
for (let code = 0; code < 128; code++) {
  if (/[A-Za-z0-9]/.test(String.fromCharCode(code))) PLAIN[code] = 1;
}
const SLASH = 0x2f;
const DOT = 0x2e;

/** True when no reader could read the path differently. */
function isPlain(path: string): boolean {
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at);
    if (PLAIN[code] !== 1) return false;
    if (code === SLASH && !beginsPlainSegment(path, at + 1)) return false;
  }
  return path.startsWith('/') || path === '*';
}

/** False before another slash, and before a segment `.` or `..`; `.well-known` is plain. */
function beginsPlainSegment(path: string, at: number): boolean {
  const first = path.charCodeAt(at);
  if (first === SLASH) return false;
  if (first !== DOT) return true;
  const afterDots = path.charCodeAt(at + 1) === DOT ? at + 2 : at + 1;
  return afterDots < path.length && path.charCodeAt(afterDots) !== SLASH;
}

function unreserved(path: string): string {
  return decodePercent(path, 'unreserved');
}

function bytes(path: string): string {
  return decodePercent(path, 'bytes');
}

function all(path: string): string {
  return decodePercent(path, 'all');
}

/** NUL ends a string in C; `?` and `#` that were hidden in an escape end the path at a second parser. */
function cutAtEnd(path: string): string {
  const end = path.search(/[\0?#]/);
  return end === -1 ? path : path.slice(0, end);
}

function backslashes(path: string): string {
  return path.replaceAll('\\', '/');
}

/** Removes the parameters of each segment (RFC 3986 3.3): `/a;v=1/b` is `/a/b`. */
function dropParameters(path: string): string {
  return path.includes(';') ? path.replace(/;[^/]*/g, '') : path;
}

function mergeSlashes(path: string): string {
  return path.replace(/\/{2,}/g, '/');
}

/** RFC 3986 5.2.4 remove_dot_segments; `..` at the root stays at the root. */
function resolveDots(path: string): string {
  if (!/(^|\/)\.\.?(\/|$)/.test(path)) return path;
  const segments = path.split('/');
  const last = segments.at(-1);
  const kept: string[] = [];
  for (const segment of path.startsWith('/') ? segments.slice(1) : segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  if (last === '.' || last === '..') kept.push('');
  return `/${kept.join('/')}`;
}
