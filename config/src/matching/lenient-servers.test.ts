import { expect, test } from 'vitest';
import { compileFoldedGlob, compileGlob, foldPath } from './glob.ts';
import { readingsOf } from './path-readings.ts';
import { seededRandom } from '../../../test/kit/seeded-random.ts';

/**
 * Three servers that are known for reading paths generously, each written down from what it does and not
 * from path-readings.ts. Undefined where the server refuses the path.
 */
type Server = (path: string) => string | undefined;

/** nginx with merge_slashes: decodes once, and takes the slashes and dots that come of it for real. */
const nginx: Server = (path) => {
  const decoded = decodeOnce(path);
  return decoded.includes('\0') ? undefined : walk(decoded.split('/'));
};

/** Node: the URL class, then decodeURIComponent; a router of Express looks at neither case nor end. */
const express: Server = (path) => {
  const { pathname } = new URL(`http://host${path}`);
  try {
    return withoutEnd(decodeURIComponent(pathname).toLowerCase());
  } catch {
    return withoutEnd(pathname.toLowerCase());
  }
};

/** An old Tomcat: parameters go first, then escapes with overlong UTF-8, backslashes, and dots. */
const tomcat: Server = (path) => {
  const plain = path
    .split('/')
    .map((segment) => segment.split(';', 1)[0] ?? '')
    .join('/');
  const overlong = plain.replace(/%c0%ae/gi, '.').replace(/%c0%af/gi, '/');
  const decoded = decodeOnce(overlong).replaceAll('\\', '/');
  return decoded.includes('\0') ? undefined : walk(decoded.split('/'));
};

/** A careless proxy before an application: what it made of the path is read again. */
const behind =
  (first: Server, second: Server): Server =>
  (path) => {
    const passedOn = first(path);
    return passedOn === undefined
      ? undefined
      : second(passedOn.replace(/[ ?#]/g, encodeURIComponent));
  };

const SERVERS: Readonly<Record<string, Server>> = {
  nginx,
  express,
  tomcat,
  'a proxy before Tomcat': behind(nginx, tomcat),
  'a proxy before Express': behind(nginx, express),
};

function decodeOnce(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Merges slashes and resolves dots; undefined above the root. */
function walk(segments: readonly string[]): string | undefined {
  const kept: string[] = [];
  for (const segment of segments.slice(1)) {
    if (segment === '.' || segment === '') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.pop() === undefined) return undefined;
  }
  return `/${kept.join('/')}`;
}

function withoutEnd(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

const isIn = (folder: string, path: string | undefined) =>
  path === folder || path?.startsWith(`${folder}/`) === true;

const SLASHES = ['/', '//', '/./', '\\', '%2f', '%2F', '%5c', '%252f', '/x/../', '/;/', '/;a=b/', '/%2e/', '%c0%af'] as const; // prettier-ignore
const UPWARDS = ['..', '%2e%2e', '.%2E', '%252e%252e', '..;', '..;x=1', '%2e%2e%3b', '%c0%ae%c0%ae', '..%00'] as const; // prettier-ignore
const ENDS = ['', '', '/', '/users', ';x', ';x=1/users', '/.', '/x/..', '%2f', '%00', '%00.png', '%20', '?', '%3f', '%23'] as const; // prettier-ignore
const PLACES = ['assets', 'a', 'admin', 'b%2fc', 'a;v=1', '%61'] as const;

/** A spelling of a folder: other folders that are left again, other slashes, escapes and cases. */
function spell(folder: string, random: ReturnType<typeof seededRandom>): string {
  let path = '';
  for (let turns = random.below(3); turns > 0; turns--) {
    path +=
      random.pick(SLASHES) + random.pick(PLACES) + random.pick(SLASHES) + random.pick(UPWARDS);
  }
  path += random.pick(SLASHES);
  for (const letter of folder) {
    const hex = letter.charCodeAt(0).toString(16);
    const spellings = [
      letter,
      letter,
      letter,
      letter.toUpperCase(),
      `%${hex}`,
      `%25${hex}`,
    ] as const;
    path += random.pick(spellings);
  }
  path += random.pick(ENDS);
  const target = path.startsWith('/') ? path : `/${path}`;
  return target.split('?', 1)[0] ?? target;
}

const ROUNDS = 5_000;

test('what a lenient server takes for a protected path is judged, however it is spelled', () => {
  const random = seededRandom();
  console.log(`lenient servers, protect: seed ${random.seed}`);
  const folded = compileFoldedGlob('/admin/**');
  const protects = (path: string) => folded(foldPath(path));
  const served = new Map<string, number>();
  const walkedAround: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const path = spell('admin', random);
    const isJudged = readingsOf(path).some(protects);
    for (const [name, server] of Object.entries(SERVERS)) {
      if (!isIn('/admin', server(path))) continue;
      served.set(name, (served.get(name) ?? 0) + 1);
      if (!isJudged) walkedAround.push(`${name}: ${path}`);
    }
  }
  expect(walkedAround, `seed ${random.seed}`).toEqual([]);
  for (const name of Object.keys(SERVERS)) expect(served.get(name) ?? 0, name).toBeGreaterThan(100);
});

test('what one of them takes for something else than a skipped path is not skipped', () => {
  const random = seededRandom();
  console.log(`lenient servers, skip: seed ${random.seed}`);
  const skips = compileGlob('/assets/**');
  const slippedOut: string[] = [];
  let skipped = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const path = `/assets${spell('admin', random)}`;
    if (!readingsOf(path).every(skips)) continue;
    skipped++;
    for (const [name, server] of Object.entries(SERVERS)) {
      const served = server(path);
      if (served !== undefined && !isIn('/assets', served)) slippedOut.push(`${name}: ${path}`);
    }
  }
  expect(slippedOut, `seed ${random.seed}`).toEqual([]);
  expect(skipped).toBeGreaterThan(100);
});
