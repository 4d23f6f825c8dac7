import {
  decodeAll,
  backslashes,
  decodeBytes,
  compatible,
  cutAtEnd,
  cutAtSemicolon,
  dropControls,
  dropParameters,
  mergeSlashes,
  type PathStep,
  resolveDots,
  sentAsUtf8,
  decodeUnreserved,
  uriAuthority,
  webAuthority,
  windowsNames,
} from './path-steps.ts';

/**
 * One request path, as different origins understand it. A visitor could bypass a rule for only one spelling with
 * another spelling: `//admin`, `/%61dmin`, `/assets/..;/admin`.
 *
 * A protection applies when *any* reading matches. An exemption (`skip`, or a rule that allows) applies only when *all*
 * readings match.
 */

/** Maximum number of characters that all readings of one path have together: twice the longest path. */
export const MAX_READING_CHARACTERS = 32 * 1024;

/**
 * Maximum number of escapes of ASCII characters in one path. Escapes of other letters, as in `/%E4%B8%AD`, are not
 * counted.
 */
export const MAX_ASCII_ESCAPES = 1_024;

/** The steps that a server applies to a path, in order. */
type Reader = readonly PathStep[];

/**
 * The ways in which servers read a path. The comments name the servers.
 *
 * When only `unreserved` is decoded, `%2F` stays part of its segment. Then `..` removes more of the path:
 * `/assets/a%2fb/%2e%2e/%2e%2e/admin` is `/admin` for such a server. It is `/assets/admin` for a server that decodes
 * all escapes.
 */
const READERS: readonly Reader[] = [
  // No change: routers that compare the raw target.
  [],
  // Routers that read `;` as the beginning of the query, alone and behind a proxy that normalises the path.
  [cutAtSemicolon],
  [cutAtSemicolon, decodeBytes],
  [cutAtSemicolon, decodeBytes, mergeSlashes, resolveDots],
  [decodeUnreserved, resolveDots, cutAtSemicolon],
  [decodeBytes, mergeSlashes, resolveDots, cutAtSemicolon],
  [decodeUnreserved, backslashes, resolveDots, cutAtSemicolon],
  [decodeBytes, backslashes, mergeSlashes, resolveDots, cutAtSemicolon],
  // RFC 3986 6.2.2 normalisation; the URL standard's parser, which also reads `\` as `/`; proxies that merge slashes;
  // servlet containers that leave %2F alone.
  [decodeUnreserved, resolveDots],
  [decodeUnreserved, backslashes, resolveDots],
  [decodeUnreserved, mergeSlashes, resolveDots],
  [decodeUnreserved, cutAtEnd, backslashes, dropParameters, mergeSlashes, resolveDots],
  // Node applications and others that decode the result of the URL parser.
  [decodeUnreserved, resolveDots, decodeBytes],
  [decodeUnreserved, backslashes, resolveDots, decodeBytes],
  [decodeUnreserved, mergeSlashes, resolveDots, decodeBytes],
  // Decoded once. `[decodeBytes]` and `[decodeAll]` are for handlers that only compare. The others are for servers that
  // also normalise the path.
  [decodeBytes],
  // Rack::URLMap merges slashes and resolves no dots.
  [mergeSlashes],
  [decodeBytes, mergeSlashes],
  [decodeBytes, mergeSlashes, resolveDots],
  [decodeBytes, backslashes, mergeSlashes, resolveDots],
  [decodeAll],
  [decodeAll, resolveDots],
  [decodeAll, mergeSlashes, resolveDots],
  [decodeAll, dropParameters, mergeSlashes, resolveDots],
  [decodeAll, cutAtEnd, backslashes, dropParameters, mergeSlashes, resolveDots],
  // Servlet containers remove parameters before they decode, so `%3b` starts no parameter for them.
  [dropParameters, decodeBytes, backslashes, mergeSlashes, resolveDots],
  [dropParameters, decodeAll, backslashes, mergeSlashes, resolveDots],
  // One server decodes, and the next one normalises.
  [decodeAll, decodeUnreserved, backslashes, resolveDots],
  [decodeAll, decodeUnreserved, cutAtEnd, backslashes, dropParameters, mergeSlashes, resolveDots],
  // Decoded twice. In the last two readers, a proxy normalises the path between the two decodings.
  [decodeAll, decodeAll],
  [decodeAll, decodeAll, resolveDots],
  [decodeAll, decodeAll, mergeSlashes, resolveDots],
  [decodeAll, decodeAll, cutAtEnd, backslashes, dropParameters, mergeSlashes, resolveDots],
  [decodeBytes, mergeSlashes, resolveDots, decodeUnreserved, backslashes, resolveDots, decodeBytes],
  [
    decodeBytes,
    mergeSlashes,
    resolveDots,
    dropParameters,
    decodeAll,
    backslashes,
    mergeSlashes,
    resolveDots,
  ],
];

/** The path as a file system reads it. Decoding can make new slashes and dots, and a file system reads them too. */
const asFile: PathStep = (path) => resolveDots(mergeSlashes(path));

/** Further changes that some servers make to the result of a reader. Each change is tried on each reading. */
const HABITS: readonly PathStep[] = [
  webAuthority,
  uriAuthority,
  asFile,
  windowsNames,
  dropControls,
  sentAsUtf8,
  compatible,
];

/**
 * A node in the tree of all readers. Readers that begin with the same steps share the nodes of these steps, so a shared
 * step runs once.
 */
interface Branch {
  readonly endsReader: boolean;
  readonly next: readonly (readonly [step: PathStep, branch: Branch])[];
}

function branchOf(readers: readonly Reader[]): Branch {
  const readersByStep = Map.groupBy(
    readers.filter(({ length }) => length > 0),
    ([first]) => first,
  );
  return {
    endsReader: readers.some(({ length }) => length === 0),
    next: [...readersByStep].flatMap(([step, sharingReaders]) =>
      step === undefined ? [] : [[step, branchOf(sharingReaders.map((reader) => reader.slice(1)))]],
    ),
  };
}

const TRUNK = branchOf(READERS);

/** From this length on, it is faster to look up the result of a step than to repeat the step. */
const LONG_PATH_LENGTH = 512;

class FoundReadings {
  readonly readings = new Set<string>();
  readonly #resultsByStep = new Map<PathStep, Map<string, string>>();
  #characterCount = 0;

  get isOverLimit(): boolean {
    return this.#characterCount > MAX_READING_CHARACTERS;
  }

  add(reading: string): void {
    if (this.readings.has(reading)) return;
    this.readings.add(reading);
    this.#characterCount += reading.length;
  }

  /** For a long path, the result is computed only once. */
  resultOf(step: PathStep, path: string): string {
    if (path.length < LONG_PATH_LENGTH) return step(path);
    let results = this.#resultsByStep.get(step);
    if (results === undefined) this.#resultsByStep.set(step, (results = new Map<string, string>()));
    let result = results.get(path);
    if (result === undefined) results.set(path, (result = step(path)));
    return result;
  }
}

let lastPath = '/';
let lastReadings: readonly string[] | undefined = ['/'];

/**
 * Every plausible reading of a raw request path (without its query). Each reading comes once, and the path as sent
 * comes first. A plain path has only one reading, which is the path itself, so it needs no work. Case is kept.
 * Undefined for a path that must be refused, because it exceeds {@link MAX_ASCII_ESCAPES} or {@link
 * MAX_READING_CHARACTERS}.
 *
 * The readings of the last path are cached, because one process needs them twice: the gateway, and then the rules.
 */
export function readingsOf(rawPath: string): readonly string[] | undefined {
  if (rawPath === lastPath) return lastReadings;
  lastReadings = isPlain(rawPath) ? [rawPath] : readingsOfUnusualPath(rawPath);
  lastPath = rawPath;
  return lastReadings;
}

function readingsOfUnusualPath(rawPath: string): readonly string[] | undefined {
  if (countAsciiEscapes(rawPath) > MAX_ASCII_ESCAPES) return undefined;
  const foundReadings = new FoundReadings();
  const decodedPath = decodeAll(rawPath);
  const nfkcPath = compatible(sentAsUtf8(decodedPath));
  if (!AMBIGUOUS.test(decodedPath) && !AMBIGUOUS.test(nfkcPath)) {
    // The path has only harmless escapes, such as %20. Servers differ only in whether they decode them.
    foundReadings.add(rawPath);
    for (const reading of [
      decodeUnreserved(rawPath),
      decodeBytes(rawPath),
      decodedPath,
      sentAsUtf8(decodedPath),
      nfkcPath,
    ])
      foundReadings.add(reading);
  } else {
    // A server that reads the start as an authority can apply any reader to the rest.
    const pathsAfterAuthority = new Set([rawPath, webAuthority(rawPath), uriAuthority(rawPath)]);
    for (const rest of pathsAfterAuthority) addReadings(TRUNK, rest, foundReadings);
    addHabitReadings(foundReadings);
  }
  return foundReadings.isOverLimit ? undefined : [...foundReadings.readings];
}

/** A `%` that starts no escape is counted too. */
function countAsciiEscapes(path: string): number {
  let count = 0;
  for (let at = path.indexOf('%'); at !== -1; at = path.indexOf('%', at + 1)) {
    // Escapes of bytes above 127 begin with 8, 9 or a to f.
    const code = path.charCodeAt(at + 1) | 0x20;
    if (code !== 0x38 && code !== 0x39 && !(code >= 0x61 && code <= 0x66)) count++;
  }
  return count;
}

function addReadings(
  { endsReader: isReading, next }: Branch,
  path: string,
  foundReadings: FoundReadings,
): void {
  if (isReading) foundReadings.add(path);
  for (const [step, branch] of next) {
    if (foundReadings.isOverLimit) return;
    addReadings(branch, foundReadings.resultOf(step, path), foundReadings);
  }
}

/**
 * The iteration over the Set includes entries that are added during the loop, so it finds combinations of habits too.
 */
function addHabitReadings(foundReadings: FoundReadings): void {
  for (const reading of foundReadings.readings) {
    for (const habit of HABITS) {
      const habitReading = foundReadings.resultOf(habit, reading);
      if (habitReading === reading) continue;
      if (foundReadings.isOverLimit) return;
      foundReadings.add(habitReading);
      // Some servers with this habit read a backslash as a slash, and others do not.
      for (const variant of [habitReading, foundReadings.resultOf(backslashes, habitReading)]) {
        foundReadings.add(foundReadings.resultOf(resolveDots, variant));
        foundReadings.add(
          foundReadings.resultOf(resolveDots, foundReadings.resultOf(mergeSlashes, variant)),
        );
      }
    }
  }
}

/** Characters and sequences that a step would change or decode again. */
const AMBIGUOUS = /[\\;%?#\0-\x1f\x7f]|\/\/|[. ](?:\/|$)|:[^/:]*\$/;

/**
 * `/`, and the characters of RFC 3986 `pchar` without `%`, `;` and `$`. isPlain checks slashes and dots by position.
 */
const PLAIN = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  if (/[A-Za-z0-9\-._~!&'()*+,=:@/]/.test(String.fromCharCode(code))) PLAIN[code] = 1;
}
const SLASH = 0x2f;
const DOT = 0x2e;

/**
 * True when all readers read the path in the same way: it has only plain characters, no `//`, and no segment ends in a
 * dot.
 */
function isPlain(path: string): boolean {
  let previousCode = 0;
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at);
    if (PLAIN[code] !== 1) return false;
    if (code === SLASH && (previousCode === SLASH || previousCode === DOT)) return false;
    previousCode = code;
  }
  return previousCode !== DOT && (path.startsWith('/') || path === '*');
}
