import {
  all,
  backslashes,
  bytes,
  compatible,
  cutAtEnd,
  dropControls,
  dropParameters,
  mergeSlashes,
  type PathStep,
  resolveDots,
  sentAsUtf8,
  unreserved,
  uriAuthority,
  webAuthority,
  windowsNames,
} from './path-steps.ts';

/**
 * One request path, as the different origins behind a gateway would understand it. A rule that looks
 * at one spelling only is walked around with another: `//admin`, `/%61dmin`, `/assets/..;/admin`.
 *
 * Protecting is right when *any* reading matches; exempting (`skip`, or a rule that allows) only
 * when *all* do.
 */

/** Most characters that all readings of one path have together: twice the longest path. */
export const MAX_READING_CHARACTERS = 32 * 1024;

/** Most escapes of ASCII characters in one path. Those of other letters, as in `/%E4%B8%AD`, are not counted. */
export const MAX_ASCII_ESCAPES = 1_024;

/** What a server does to a path, in its order. */
type Reader = readonly PathStep[];

/**
 * Who reads paths like that.
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
  [bytes, backslashes, mergeSlashes, resolveDots],
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

/** What some servers do to what one of the readers made of a path. Each is tried on each reading. */
const HABITS: readonly PathStep[] = [
  webAuthority,
  uriAuthority,
  windowsNames,
  dropControls,
  sentAsUtf8,
  compatible,
];

/** A step that several readers have in common at the same place, taken once for all of them. */
interface Branch {
  /** A reader has no further step. */
  readonly isReading: boolean;
  readonly next: readonly (readonly [step: PathStep, branch: Branch])[];
}

function branchOf(readers: readonly Reader[]): Branch {
  const byStep = Map.groupBy(
    readers.filter(({ length }) => length > 0),
    ([first]) => first,
  );
  return {
    isReading: readers.some(({ length }) => length === 0),
    next: [...byStep].flatMap(([step, sharing]) =>
      step === undefined ? [] : [[step, branchOf(sharing.map((reader) => reader.slice(1)))]],
    ),
  };
}

const TRUNK = branchOf(READERS);

/** From here on to look up what a step made of a text costs less than to take it again. */
const LONG = 512;

/** The readings found so far, and their characters together. */
class Found {
  readonly readings = new Set<string>();
  readonly #made = new Map<PathStep, Map<string, string>>();
  #characters = 0;

  get isTooMuch(): boolean {
    return this.#characters > MAX_READING_CHARACTERS;
  }

  add(reading: string): void {
    if (this.readings.has(reading)) return;
    this.readings.add(reading);
    this.#characters += reading.length;
  }

  /** What a step makes of a path: of a long one it is taken once, for all readings. */
  after(step: PathStep, path: string): string {
    if (path.length < LONG) return step(path);
    let made = this.#made.get(step);
    if (made === undefined) this.#made.set(step, (made = new Map<string, string>()));
    let next = made.get(path);
    if (next === undefined) made.set(path, (next = step(path)));
    return next;
  }
}

let lastPath = '/';
let lastReadings: readonly string[] | undefined = ['/'];

/**
 * Every plausible reading of a raw request path (without its query), each once, the path as sent
 * first. A plain path is its own only reading and is returned without work. Case is kept. Undefined for a
 * path that is to be refused: it is beyond {@link MAX_ASCII_ESCAPES} or {@link MAX_READING_CHARACTERS}.
 *
 * The last path is remembered, because one process asks twice about each: the gateway, and then the rules.
 */
export function readingsOf(rawPath: string): readonly string[] | undefined {
  if (rawPath === lastPath) return lastReadings;
  lastReadings = isPlain(rawPath) ? [rawPath] : readingsOfUnusual(rawPath);
  lastPath = rawPath;
  return lastReadings;
}

function readingsOfUnusual(rawPath: string): readonly string[] | undefined {
  if (countAsciiEscapes(rawPath) > MAX_ASCII_ESCAPES) return undefined;
  const found = new Found();
  const decoded = all(rawPath);
  const plainest = compatible(sentAsUtf8(decoded));
  if (!AMBIGUOUS.test(decoded) && !AMBIGUOUS.test(plainest)) {
    // Escapes that hide nothing, such as %20: readers differ only in whether they undo them.
    found.add(rawPath);
    for (const reading of [
      unreserved(rawPath),
      bytes(rawPath),
      decoded,
      sentAsUtf8(decoded),
      plainest,
    ])
      found.add(reading);
  } else {
    // A server that reads the beginning as an authority may change the rest in any way.
    const rests = new Set([rawPath, webAuthority(rawPath), uriAuthority(rawPath)]);
    for (const rest of rests) addReaders(TRUNK, rest, found);
    addHabits(found);
  }
  return found.isTooMuch ? undefined : [...found.readings];
}

/** A `%` that begins no escape is counted too. */
function countAsciiEscapes(path: string): number {
  let count = 0;
  for (let at = path.indexOf('%'); at !== -1; at = path.indexOf('%', at + 1)) {
    // 8, 9 and a to f begin the escapes of bytes above 127.
    const code = path.charCodeAt(at + 1) | 0x20;
    if (code !== 0x38 && code !== 0x39 && !(code >= 0x61 && code <= 0x66)) count++;
  }
  return count;
}

function addReaders({ isReading, next }: Branch, path: string, found: Found): void {
  if (isReading) found.add(path);
  for (const [step, branch] of next) {
    if (found.isTooMuch) return;
    addReaders(branch, found.after(step, path), found);
  }
}

/** A set also goes over what is added meanwhile, so habits that come together are found too. */
function addHabits(found: Found): void {
  for (const reading of found.readings) {
    for (const habit of HABITS) {
      const seen = found.after(habit, reading);
      if (seen === reading) continue;
      if (found.isTooMuch) return;
      const slashed = found.after(backslashes, seen);
      found.add(seen);
      found.add(found.after(resolveDots, slashed));
      found.add(found.after(resolveDots, found.after(mergeSlashes, slashed)));
    }
  }
}

/** What any of the steps would change, or decode once more. */
const AMBIGUOUS = /[\\;%?#\0-\x1f\x7f]|\/\/|[. ](?:\/|$)|:[^/:]*\$/;

/** The characters of RFC 3986 `pchar` that no step treats specially: no `%`, no `;`, and no `$`. */
const PLAIN = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  if (/[A-Za-z0-9\-._~!&'()*+,=:@/]/.test(String.fromCharCode(code))) PLAIN[code] = 1;
}
const SLASH = 0x2f;
const DOT = 0x2e;

/** True when no reader could read the path differently: no empty segment, and none that ends in a dot. */
function isPlain(path: string): boolean {
  let before = 0;
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at);
    if (PLAIN[code] !== 1) return false;
    if (code === SLASH && (before === SLASH || before === DOT)) return false;
    before = code;
  }
  return before !== DOT && (path.startsWith('/') || path === '*');
}
