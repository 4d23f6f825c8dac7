import { compileGlobStates } from './glob-states.ts';
import { compileRegex } from './regex.ts';

/** A glob, or a regular expression in RE2 syntax. */
export type Pattern = string | { readonly regex: string };

/**
 * Compiles a glob over paths once; the result takes linear time and allocates nothing.
 *
 * `*` is any run of characters within a segment. `**` is any run of characters across segments. `?` is one character
 * other than `/`. A whole segment `**` may also match no segment: `/admin/**` matches `/admin` and everything below it,
 * and `/**` alone is every path. All other characters are literal, and case matters.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  if (glob === '/**') return () => true;
  if (!isWild(glob)) return (path) => path === glob;
  const folder = glob.slice(0, -3);
  if (glob.endsWith('/**') && !isWild(folder)) {
    return (path) =>
      path.startsWith(folder) && (path.length === folder.length || path[folder.length] === '/');
  }
  return compileGlobStates(glob, 'path');
}

/** Whether a glob can match a path. Each path starts with a slash, which `*` and `?` do not match. */
export function canMatchPaths(glob: string): boolean {
  return /^(?:\*?\/|\*\*)/.test(glob);
}

/** A path in the form that lenient routers compare: lower case and without a trailing slash (Express, IIS). */
export function foldPath(path: string): string {
  const foldedPath = path.toLowerCase();
  return foldedPath.length > 1 && foldedPath.endsWith('/') ? foldedPath.slice(0, -1) : foldedPath;
}

/**
 * Compiles a glob that must not be bypassed by another spelling. The result takes a path that {@link foldPath} has
 * folded. The result is true when a lenient router treats the path like a path that matches.
 */
export function compileFoldedGlob(glob: string): (foldedPath: string) => boolean {
  const foldedGlob = foldPath(glob);
  const matches = compileGlob(foldedGlob);
  // With the trailing slash, only an empty last segment can have been removed.
  return foldedGlob.endsWith('/*') ? (path) => matches(path) || matches(`${path}/`) : matches;
}

/**
 * The folder, folded by {@link foldPath}, that contains or equals every path that {@link compileFoldedGlob} matches:
 * `/a/b` for `/a/b/**` and `/a/b`, and `/a` for `/a/b*`. Undefined when there is no such folder.
 */
export function literalFolder(glob: string): string | undefined {
  const foldedGlob = foldPath(glob);
  if (!isWild(foldedGlob)) return foldedGlob;
  const wildcardAt = foldedGlob.search(/[*?]/);
  const folder = foldedGlob.slice(0, Math.max(0, foldedGlob.lastIndexOf('/', wildcardAt)));
  return folder === '' ? undefined : folder;
}

/**
 * Compiles a glob over other text, such as a header value: `*` is any run of characters, and `?` is any one character.
 */
function compileTextGlob(glob: string): (value: string) => boolean {
  if (!isWild(glob)) return (value) => value === glob;
  if (glob.includes('?')) return compileGlobStates(glob, 'text');
  const pieces = glob.split('*');
  const firstPiece = pieces[0] ?? '';
  const lastPiece = pieces.at(-1) ?? '';
  return (value) =>
    value.length >= firstPiece.length + lastPiece.length &&
    value.startsWith(firstPiece) &&
    value.endsWith(lastPiece) &&
    holdsInOrder(value, pieces, firstPiece.length, value.length - lastPiece.length);
}

/**
 * Whether the inner pieces occur in this order between two positions. A gap may contain any text, so the leftmost
 * occurrence of each piece is enough, without backtracking.
 */
function holdsInOrder(value: string, pieces: readonly string[], from: number, to: number): boolean {
  let at = from;
  for (let index = 1; index < pieces.length - 1; index++) {
    const piece = pieces[index] ?? '';
    const foundAt = value.indexOf(piece, at);
    if (foundAt === -1 || foundAt + piece.length > to) return false;
    at = foundAt + piece.length;
  }
  return true;
}

/**
 * Compiles one pattern over paths: a glob, or an unanchored regular expression. `tooLong` is the result for a
 * value that is longer than the expression may read.
 */
export function compilePattern(pattern: Pattern, tooLong = true): (path: string) => boolean {
  return typeof pattern === 'string'
    ? compileGlob(pattern)
    : compileRegexPattern(pattern.regex, tooLong);
}

/** Compiles one pattern over header values, in which a slash is an ordinary character: `*curl/8*`. */
export function compileTextPattern(pattern: Pattern, tooLong = true): (value: string) => boolean {
  return typeof pattern === 'string'
    ? compileTextGlob(pattern)
    : compileRegexPattern(pattern.regex, tooLong);
}

/**
 * Whether a pattern reads even the longest value of a request (docs/guide/limits.md). A regular expression reads the
 * longest value only while the decision has time left for regular expressions.
 */
export function readsWhole(pattern: Pattern): boolean {
  return typeof pattern === 'string' || compiledRegex(pattern.regex).maxLength >= LONGEST_VALUE;
}

function isWild(glob: string): boolean {
  return glob.includes('*') || glob.includes('?');
}

/** Longest total length of a request's header fields. */
const LONGEST_VALUE = 32 * 1024;

/** Tests a value completely or not at all, because the text after a limit could change the result. */
function compileRegexPattern(source: string, tooLong: boolean): (value: string) => boolean {
  const { test } = compiledRegex(source);
  return (value) => test(value) ?? tooLong;
}

/** The settings schema has compiled every regex, so an error here is a bug. */
function compiledRegex(source: string) {
  const compiled = compileRegex(source);
  if (compiled.kind === 'invalid') throw new TypeError(`not a regex: ${compiled.reason}`);
  return compiled;
}
