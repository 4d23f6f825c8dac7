import { describe, expect, test } from 'vitest';
import { compileGlob } from './glob.ts';
import { MAX_READINGS, readingsOf } from './path-readings.ts';
import { seededRandom } from '../../../test/kit/seeded-random.ts';

const isAdmin = compileGlob('/admin/**');
const isAsset = compileGlob('/assets/**');

describe('`protect` looks at every reading, so no spelling walks around it', () => {
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
  ])('%s', (path) => {
    expect(readingsOf(path).some(isAdmin)).toBe(true);
  });
});

describe('`skip` holds only when all readings agree, so nothing is smuggled out through it', () => {
  test.each([
    '/assets/../admin',
    '/assets/%2e%2e/admin',
    '/assets/..%2fadmin',
    '/assets/..%5cadmin',
    '/assets/..;/admin',
    '/assets/%252e%252e/admin',
    '/assets/%2e%2e%3bx/admin',
    // One segment to a reader that leaves %2F alone, two to a reader that does not.
    '/assets/a%2fb/%2e%2e/%2e%2e/admin',
    '/assets/a%252fb/%252e%252e/%252e%252e/admin',
    // One `..` takes an empty segment, or the one before it where slashes were merged.
    '/assets//../admin',
    '/assets/x\\..\\..\\admin',
    '/assets/x%00/../../admin',
  ])('%s', (path) => {
    const readings = readingsOf(path);
    expect(readings.some(isAsset)).toBe(true);
    expect(readings.every(isAsset)).toBe(false);
  });

  test.each(['/assets/a.css', '/assets/a%20b.css', '/assets/x/../a.css', '/assets//a.css'])(
    '%s stays an asset in every reading',
    (path) => {
      expect(readingsOf(path).every(isAsset)).toBe(true);
    },
  );
});

test.each(['/', '/login', '/.well-known/security.txt', '/..a/...', "/a.b-c_d~e/!$&'()*+,=:@", '*'])(
  'the plain path %s is its own only reading',
  (path) => {
    expect(readingsOf(path)).toEqual([path]);
  },
);

test('a path is decoded once and twice, and case is kept', () => {
  expect(readingsOf('/%41%20b')).toEqual(['/%41%20b', '/A%20b', '/A b']);
  expect(readingsOf('/Caf%C3%A9')).toEqual(['/Caf%C3%A9', '/Café']);
  expect(readingsOf('/a%2520b')).toEqual(['/a%2520b', '/a%20b', '/a b']);
  expect(readingsOf('/%ff%zz%')).toEqual(['/%ff%zz%', '/ÿ%zz%']);
  expect(readingsOf('/%f0%9f%98%80')).toContain('/😀');
});

test('the first reading is the path as sent; `.` and `..` at the end leave a folder', () => {
  expect(readingsOf('/a/b/..')).toEqual(['/a/b/..', '/a/']);
  expect(readingsOf('/a/.')).toEqual(['/a/.', '/a/']);
  expect(readingsOf('/../..')).toEqual(['/../..', '/']);
});

test('every path has 1 to 16 different readings, none longer than itself', () => {
  const random = seededRandom();
  console.log(`path property: seed ${random.seed}`);
  const pieces = [
    '/', '//', '/..', '/.', '\\', '..', ';x', ';', '%2e', '%2f', '%5c', '%252e', '%252f', '%255c',
    '%00', '%2500', '%3b', '%c0%af', '%25', '%', '%u002e', 'a', 'b/', 'é', '?', '%3f', '%ff', '%f0%9f',
  ] as const; // prettier-ignore
  for (let round = 0; round < 20_000; round++) {
    const path = `/${Array.from({ length: random.below(14) }, () => random.pick(pieces)).join('')}`;
    const readings = readingsOf(path);
    const facts = {
      first: readings[0],
      bounded: readings.length >= 1 && readings.length <= MAX_READINGS,
      distinct: new Set(readings).size === readings.length,
      short: readings.every((reading) => reading.length <= path.length),
    };
    expect({ seed: random.seed, path, ...facts }).toEqual({
      seed: random.seed,
      path,
      first: path,
      bounded: true,
      distinct: true,
      short: true,
    });
  }
});

test('16 KiB of the worst shapes are read in linear time', () => {
  for (const piece of ['/..', ';', '%25', '\\..', '/%2e%2e;', '%252f', '%c0%ae', '//']) {
    const path = `/${piece.repeat(Math.floor((16 * 1024) / piece.length))}`;
    expect(readingsOf(path).length).toBeLessThanOrEqual(MAX_READINGS);
  }
});
