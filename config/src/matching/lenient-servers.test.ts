import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { compileFoldedGlob, compileGlob, foldPath } from './glob.ts';
import { readingsOf } from './path-readings.ts';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { hasPhp } from '../../../test/kit/tools.ts';

/**
 * A model of a server that reads paths leniently. The model follows the behaviour of the server, and not
 * path-readings.ts. Undefined when the server refuses the path.
 */
type Server = (path: string) => string | undefined;

/** nginx with merge_slashes: it decodes once, and treats decoded slashes and dots like literal ones. */
const nginx: Server = (path) => {
  const decodedPath = decodeOnce(path);
  return decodedPath.includes('\0') ? undefined : resolveSegments(decodedPath.split('/'));
};

/**
 * Node: the URL class parses the path, and decodeURIComponent decodes it. Express then ignores case and a trailing
 * slash.
 */
const express: Server = (path) => {
  const { pathname } = new URL(`http://host${path}`);
  try {
    return withoutTrailingSlash(decodeURIComponent(pathname).toLowerCase());
  } catch {
    return withoutTrailingSlash(pathname.toLowerCase());
  }
};

/** Node without a framework: `new URL(target, base)`, so two slashes begin an authority. */
const nodeWithBase: Server = (path) => {
  try {
    return withoutTrailingSlash(new URL(path, 'http://host').pathname);
  } catch {
    return undefined;
  }
};

/** IIS with the file system of Windows: dots and blanks at the end of a name are ignored. */
const windowsFileSystem: Server = (path) => {
  const servedPath = resolveSegments(decodeOnce(path).replaceAll('\\', '/').split('/'));
  return servedPath === undefined || servedPath.includes('\0')
    ? undefined
    : resolveSegments(servedPath.split('/').map((name) => name.replace(/[. ]+$/, '')));
};

/** An application that removes control characters and folds look-alike letters before it routes. */
const cleaningServer: Server = (path) => {
  const decodedPath = nginx(path.replace(/%0[09]/g, ''));
  return decodedPath && Buffer.from(decodedPath, 'latin1').toString().normalize('NFKC');
};

/** An old Tomcat: it removes parameters first. Then it handles escapes with overlong UTF-8, backslashes, and dots. */
const tomcat: Server = (path) => {
  const plain = path
    .split('/')
    .map((segment) => segment.split(';', 1)[0] ?? '')
    .join('/');
  const overlong = plain.replace(/%c0%ae/gi, '.').replace(/%c0%af/gi, '/');
  const decodedPath = decodeOnce(overlong).replaceAll('\\', '/');
  return decodedPath.includes('\0') ? undefined : resolveSegments(decodedPath.split('/'));
};

/** What a file system opens: slashes count once, and `.` and `..` are folders. */
const fileOf: Server = (path) => resolveSegments(path.split('/'));

/** Apache with AllowEncodedSlashes: resolves dots while `%2F` is part of a name, decodes, and opens the file. */
const apacheFiles: Server = (path) => {
  const unreserved = path.replace(/%(2e|[46][1-9a-f]|[57][0-9a])/gi, decodeOnce);
  const resolved = resolveSegments(unreserved.split('/'));
  const decodedPath = resolved && decodeOnce(resolved);
  return decodedPath?.includes('\0') === false ? fileOf(decodedPath) : undefined;
};

/** nginx with merge_slashes off: `..` removes an empty segment, and the file system merges the slashes. */
const nginxFiles: Server = (path) => {
  const resolvedSegments: string[] = [];
  for (const segment of decodeOnce(path).split('/').slice(1)) {
    if (segment === '.') continue;
    if (segment !== '..') resolvedSegments.push(segment);
    else if (resolvedSegments.pop() === undefined) return undefined;
  }
  const servedPath = `/${resolvedSegments.join('/')}`;
  return servedPath.includes('\0') ? undefined : fileOf(servedPath);
};

/** A file server in Node: the URL class, decodeURIComponent, path.join. */
const nodeFiles: Server = (path) => {
  try {
    return fileOf(decodeURIComponent(new URL(`http://host${path}`).pathname));
  } catch {
    return undefined;
  }
};

/** A proxy that decodes the path, in front of an application that decodes the result again. */
const pathAfter =
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
  windows: windowsFileSystem,
  cleaning: cleaningServer,
  'Node with a base': nodeWithBase,
  'files of Apache': apacheFiles,
  'files of nginx': nginxFiles,
  'files of Node': nodeFiles,
  'a proxy before Tomcat': pathAfter(nginx, tomcat),
  'a proxy before Express': pathAfter(nginx, express),
};

function decodeOnce(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Merges slashes and resolves dots; undefined when the path leads above the root. */
function resolveSegments(segments: readonly string[]): string | undefined {
  const resolvedSegments: string[] = [];
  for (const segment of segments.slice(1)) {
    if (segment === '.' || segment === '') continue;
    if (segment !== '..') resolvedSegments.push(segment);
    else if (resolvedSegments.pop() === undefined) return undefined;
  }
  return `/${resolvedSegments.join('/')}`;
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

const isIn = (folder: string, path: string | undefined) =>
  path === folder || path?.startsWith(`${folder}/`) === true;

const SLASHES = ['/', '//', '/./', '\\', '%2f', '%2F', '%5c', '%252f', '/x/../', '/;/', '/;a=b/', '/%2e/', '%c0%af', '/.%2f', '/x%2fy/../', '/x%2fy//../'] as const; // prettier-ignore
const UPWARDS = ['..', '%2e%2e', '.%2E', '%252e%252e', '..;', '..;x=1', '%2e%2e%3b', '%c0%ae%c0%ae', '..%00'] as const; // prettier-ignore
const ENDS = ['', '', '/', '/users', ';x', ';x=1/users', '/.', '/x/..', '%2f', '%00', '%00.png', '%20', '.', '%20./users', '%09', '?', '%3f', '%23'] as const; // prettier-ignore
const BEGINNINGS = [
  ...['', '', '', '', '', '', '', ''],
  '//x',
  '/\\x',
  '///x',
  '//x:y@z',
  '//x:80',
  '//x%2fy',
  '/\\/x\\',
] as const;
const FOLDERS = ['assets', 'a', 'admin', 'b%2fc', 'a;v=1', '%61'] as const;

/** A random spelling of a folder, with detours through other folders, other slashes, escapes and cases. */
function spell(folder: string, random: ReturnType<typeof seededRandom>): string {
  let path: string = random.pick(BEGINNINGS);
  for (let turns = random.below(3); turns > 0; turns--) {
    path +=
      random.pick(SLASHES) + random.pick(FOLDERS) + random.pick(SLASHES) + random.pick(UPWARDS);
  }
  path += random.pick(SLASHES);
  for (const letter of folder) {
    const hex = letter.charCodeAt(0).toString(16);
    const spellings = [
      letter.toUpperCase(),
      `%${hex}`,
      `%25${hex}`,
      encodeURIComponent(String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
      `${letter}%00`,
    ] as const;
    path += random.below(8) === 0 ? random.pick(spellings) : letter;
  }
  path += random.pick(ENDS);
  const target = path.startsWith('/') ? path : `/${path}`;
  return target.split('?', 1)[0] ?? target;
}

const ROUNDS = 5_000;

test('a protected path cannot be bypassed through a server that drops control characters and keeps backslashes', () => {
  const path = '/%2e/a%2f..%00/./admin%2F..%00%5cusers';
  expect(isIn('/admin', cleaningServer(path))).toBe(true);
  const protects = compileFoldedGlob('/admin/**');
  expect(readingsOf(path)?.some((reading) => protects(foldPath(reading)))).toBe(true);
});

test('a path that a lenient server reads as a protected path is judged, in every spelling', () => {
  const random = seededRandom();
  console.log(`lenient servers, protect: seed ${random.seed}`);
  const isFoldedMatch = compileFoldedGlob('/admin/**');
  const protects = (path: string) => isFoldedMatch(foldPath(path));
  const servedCounts = new Map<string, number>();
  const bypasses: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const path = spell('admin', random);
    const isJudged = readingsOf(path)?.some(protects) ?? true;
    for (const [name, server] of Object.entries(SERVERS)) {
      if (!isIn('/admin', server(path))) continue;
      servedCounts.set(name, (servedCounts.get(name) ?? 0) + 1);
      if (!isJudged) bypasses.push(`${name}: ${path}`);
    }
  }
  expect(bypasses, `seed ${random.seed}`).toEqual([]);
  for (const name of Object.keys(SERVERS))
    expect(servedCounts.get(name) ?? 0, name).toBeGreaterThan(100);
});

test('a path is not skipped when one of the servers does not read it as a skipped path', () => {
  const random = seededRandom();
  console.log(`lenient servers, skip: seed ${random.seed}`);
  const skips = compileGlob('/assets/**');
  const wronglySkipped: string[] = [];
  let skippedCount = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const path = `/assets${spell('admin', random)}`;
    if (readingsOf(path)?.every(skips) !== true) continue;
    skippedCount++;
    for (const [name, server] of Object.entries(SERVERS)) {
      const servedPath = server(path);
      if (servedPath !== undefined && !isIn('/assets', servedPath))
        wronglySkipped.push(`${name}: ${path}`);
    }
  }
  expect(wronglySkipped, `seed ${random.seed}`).toEqual([]);
  expect(skippedCount).toBeGreaterThan(100);
});

/** A PHP program. It reads one path as JSON from each line, and prints what parse_url finds: text, null or false. */
const PARSE_URL = `while (($line = fgets(STDIN)) !== false)
  echo json_encode(parse_url(json_decode($line), PHP_URL_PATH), JSON_INVALID_UTF8_SUBSTITUTE), "\\n";`;

test.skipIf(!hasPhp)(
  'a path is judged when PHP, with parse_url and decoding, reads it as a protected path',
  () => {
    const random = seededRandom();
    console.log(`lenient servers, PHP: seed ${random.seed}`);
    const paths = Array.from({ length: ROUNDS }, () => spell('admin', random));
    const input = paths.map((path) => JSON.stringify(path)).join('\n');
    const { stdout } = spawnSync('php', ['-r', PARSE_URL], {
      input,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    const isFoldedMatch = compileFoldedGlob('/admin/**');
    let servedCount = 0;
    const bypasses = stdout
      .trimEnd()
      .split('\n')
      .map((line, index) => {
        const parsed: unknown = JSON.parse(line);
        if (typeof parsed !== 'string') return undefined;
        const path = paths[index] ?? '';
        const isServed =
          isIn('/admin', parsed) || isIn('/admin', resolveSegments(decodeOnce(parsed).split('/')));
        if (isServed) servedCount++;
        const isJudged =
          readingsOf(path)?.some((reading) => isFoldedMatch(foldPath(reading))) ?? true;
        return isServed && !isJudged ? path : undefined;
      });
    expect(
      bypasses.filter((path) => path !== undefined),
      `seed ${random.seed}`,
    ).toEqual([]);
    expect(bypasses).toHaveLength(paths.length);
    expect(servedCount).toBeGreaterThan(100);
  },
);
