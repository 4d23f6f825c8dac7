import { describe, expect, test } from 'vitest';
import { compileGlob } from './glob.ts';
import { MAX_ASCII_ESCAPES, MAX_READING_CHARACTERS, readingsOf } from './path-readings.ts';
import { rounds, seededRandom } from '../../../test/kit/seeded-random.ts';

const isAdmin = compileGlob('/admin/**');
const isAsset = compileGlob('/assets/**');

describe('`protect` looks at every reading, so no spelling bypasses it', () => {
  test.each([
    '/admin',
    '//admin',
    '///admin//users',
    '/./admin',
    '/a/../admin',
    '/../admin',
    '/public/%2e%2e/admin',
    '/public/.%2E/admin',
    '/%61dmin',
    '/%2561dmin',
    '/admin;x',
    '/admin;x=1/users',
    '/;/admin',
    '/admin%2f',
    '/admin%2Fusers',
    '/admin%252fusers',
    '/public/..%5cadmin',
    '/public/..\\admin',
    '/public\\..\\admin',
    '/%5cadmin',
    '/admin%00.png',
    '/admin%2500.png',
    '/admin%3fx',
    '/admin%23',
    '/assets/..;/admin',
    '/assets/..;v=1/admin',
    '/assets/%2e%2e%3b/admin',
    '/%252e%252e/admin',
    '/public/%252e%252e/admin',
    '/public/%c0%ae%c0%ae/admin',
    '/public/..%c0%afadmin',
    '/public/..%e0%80%afadmin',
    '/public/..%c1%9cadmin',
    '/public/..%u002fadmin',
    '/public/%2e%2e%2f%2e%2e%2fadmin',
    // Some parsers read the text after two slashes as the host: `new URL(target, base)`, parse_url of PHP.
    '//x/admin/s',
    '///x/admin/s',
    '/\\x/admin/s',
    '/\\x\\admin\\s',
    '//x:y@z/admin/s',
    '//x/%61dmin%2fs',
    '//x%2fy/admin%2fs',
    '//x/a/../admin',
    '//a//b/admin',
    '/%2fx/admin/s',
    '/%5cx/admin/s',
    '/a/..//x/admin',
    // File systems of Windows.
    '/admin./s',
    '/admin%20/s',
    '/admin%20.%20',
    '/admin::$DATA',
    '/admin:$i30:$INDEX_ALLOCATION/s',
    '/public/..%20/admin',
    '//x/admin./s',
    // Control characters that some servers drop, and letters that some servers read as other letters.
    '/admin%09',
    '/ad%00min/s',
    '/admin%0a/s',
    '/%EF%BD%81dmin/s',
    '/%uff41dmin/s',
    '/adm%C4%B1n/s',
    '/public/%EF%BC%8E%EF%BC%8E/admin',
    '/%EF%BC%8Fx%EF%BC%8Fadmin',
    '/%EF%BD%81dmin./s',
    '/\xef\xbd\x81dmin/s',
  ])('%s', (path) => {
    expect(readingsOf(path)?.some(isAdmin)).toBe(true);
  });
});

describe('`skip` applies only when all readings match, so it cannot hide another path', () => {
  test.each([
    '/assets/../admin',
    '/assets/%2e%2e/admin',
    '/assets/..%2fadmin',
    '/assets/..%5cadmin',
    '/assets/..;/admin',
    '/assets/%252e%252e/admin',
    '/assets/%2e%2e%3bx/admin',
    // `a%2fb` is one segment for a server that keeps %2F, and two segments for a server that decodes it.
    '/assets/a%2fb/%2e%2e/%2e%2e/admin',
    '/assets/a%252fb/%252e%252e/%252e%252e/admin',
    // `..` removes the empty segment, or, when slashes were merged, the segment before it.
    '/assets//../admin',
    '/assets/x\\..\\..\\admin',
    '/assets/x%00/../../admin',
    // Control characters that some servers drop, blanks and dots that Windows drops, and letters that some servers read
    // as dots.
    '/assets/.%00./admin/x',
    '/assets/.%09./admin/x',
    '/assets/..%20/admin',
    '/assets/%E2%80%A5/admin',
    '//assets/x',
  ])('%s', (path) => {
    const readings = readingsOf(path) ?? [];
    expect(readings.some(isAsset)).toBe(true);
    expect(readings.every(isAsset)).toBe(false);
  });

  test.each([
    ...['/assets/a.css', '/assets/a%20b.css', '/assets/x/../a.css', '/assets//a.css'],
    ...['/assets/a.css%20', '/assets/%E4%B8%AD.css', '/assets/$1:2'],
  ])('%s is an asset in every reading', (path) => {
    expect(readingsOf(path)?.every(isAsset)).toBe(true);
  });
});

test.each([
  '/',
  '/login',
  '/.well-known/security.txt',
  '/..a/...b',
  "/a.b-c_d~e/!$&'()*+,=:@",
  '*',
])('the plain path %s has only one reading, which is the path itself', (path) => {
  expect(readingsOf(path)).toEqual([path]);
});

test('a path is decoded once and twice, and case is kept', () => {
  expect(readingsOf('/%41%20b')).toEqual(['/%41%20b', '/A%20b', '/A b']);
  expect(readingsOf('/Caf%C3%A9')).toEqual(['/Caf%C3%A9', '/Café']);
  expect(readingsOf('/a%2520b')).toEqual(['/a%2520b', '/a%20b', '/a b']);
  expect(readingsOf('/%ff%zz%')).toEqual(['/%ff%zz%', '/ÿ%zz%']);
  expect(readingsOf('/%f0%9f%98%80')).toContain('/😀');
});

test('the first reading is the path as sent; a path that ends in `.` or `..` is read as a folder, with a slash at its end', () => {
  expect(readingsOf('/a/b/..')).toEqual(['/a/b/..', '/a/']);
  expect(readingsOf('/a/.')).toEqual(['/a/.', '/a/']);
  expect(readingsOf('/../..')).toEqual(['/../..', '/']);
});

test('when the same path comes twice in a row, its readings come from the cache; another path never gets them', () => {
  const readingsBefore = readingsOf('/%61/x');
  expect(readingsBefore).toEqual(['/%61/x', '/a/x']);
  expect(readingsOf('/%61/x')).toBe(readingsBefore);
  expect(readingsOf('/%62/x')).toEqual(['/%62/x', '/b/x']);
  const readingsAgain = readingsOf('/%61/x');
  expect(readingsAgain).not.toBe(readingsBefore);
  expect(readingsAgain).toEqual(readingsBefore);
});

test('all readings of a path differ, the first is the path as sent, and none is longer than the path', () => {
  const random = seededRandom();
  console.log(`property test of paths: seed ${random.seed}`);
  const pieces = [
    '/', '//', '/..', '/.', '\\', '..', ';x', ';', '%2e', '%2f', '%5c', '%252e', '%252f', '%255c',
    '%00', '%2500', '%3b', '%c0%af', '%25', '%', '%u002e', 'a', 'b/', 'é', '?', '%3f', '%ff', '%f0%9f',
    '. ', ':$', '%20', '%09', '%EF%BD%81', '//x:y@z',
  ] as const; // prettier-ignore
  for (let round = 0; round < rounds(4_000, 20_000); round++) {
    const path = `/${Array.from({ length: random.below(14) }, () => random.pick(pieces)).join('')}`;
    const readings = readingsOf(path) ?? [];
    const properties = {
      first: readings[0],
      distinct: new Set(readings).size === readings.length,
      short: readings.every((reading) => reading.length <= path.length),
    };
    const wanted = { seed: random.seed, path, first: path, distinct: true, short: true };
    expect({ seed: random.seed, path, ...properties }).toEqual(wanted);
  }
});

describe('the readings of the worst paths of 16 KiB have at most MAX_READING_CHARACTERS together, or the path is refused', () => {
  const longPathOf = (piece: string) =>
    `/${piece.repeat(Math.floor((16 * 1024) / piece.length) - 1)}`;
  const readingCharacters = (path: string) =>
    readingsOf(path)?.reduce((sum, reading) => sum + reading.length, 0) ?? 0;

  test.each(['/..', ';', '\\..', '%c0%ae', '//', '//a', '. /', ':$', '%ef%bc%8f', '%EF%B7%BA', '%E4%B8%AD'])(
    '%s',
    (piece) => expect(readingCharacters(longPathOf(piece))).toBeLessThanOrEqual(MAX_READING_CHARACTERS),
  ); // prettier-ignore

  test.each(['%2e/', '%2561', '%252e%252e/', '%2e%2e%2f;', '%5c', '%25', '%', '%00', '%u002f'])(
    '%s: more escapes of ASCII than a path needs',
    (piece) => expect(readingsOf(longPathOf(piece))).toBeUndefined(),
  );

  test('paths that browsers send are not refused: 16 KiB of Chinese, a long URL inside of a path', () => {
    expect(readingsOf(longPathOf('%E4%B8%AD'))).toHaveLength(2);
    const inner = `https://x.example/a//b?${'token=a%2Fb&'.repeat(250)}`;
    expect(readingsOf(`/proxy/${encodeURIComponent(inner)}`)?.length).toBeGreaterThan(3);
    expect(readingsOf(`/${'%2E'.repeat(MAX_ASCII_ESCAPES)}`)).toBeDefined();
    expect(readingsOf(`/${'%2E'.repeat(MAX_ASCII_ESCAPES + 1)}`)).toBeUndefined();
  });
});
