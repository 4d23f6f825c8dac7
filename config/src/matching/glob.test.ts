import { describe, expect, test } from 'vitest';
import {
  canMatchPaths,
  compileGlob,
  compileFoldedGlob,
  foldPath,
  compilePattern,
  compileTextPattern,
  readsWhole,
} from './glob.ts';
import { compileRegex } from './regex.ts';
import { seededRandom } from '../../../test/kit/seeded-random.ts';

test.each<[glob: string, matches: readonly string[], differs: readonly string[]]>([
  ['/login', ['/login', '/LOGIN', '/login/'], ['/login//', '/logins', '/login/a', '']],
  ['/Login/', ['/login', '/LOGIN/'], ['/login/a']],
  ['/admin/*', ['/Admin/a', '/admin/a/', '/admin/', '/ADMIN'], ['/admin/a/b']],
  ['/**', ['/', '', '/A'], []],
])(
  'the folded glob %s also matches another case, with and without a slash at the end',
  (glob, matching, differing) => {
    const isFoldedMatch = compileFoldedGlob(glob);
    const matches = (path: string) => isFoldedMatch(foldPath(path));
    expect(matching.filter((path) => !matches(path))).toEqual([]);
    expect(differing.filter(matches)).toEqual([]);
  },
);

describe('`*` within a segment, `**` across segments, `?` one character other than `/`', () => {
  const table: readonly [glob: string, matches: readonly string[], differs: readonly string[]][] = [
    ['/**', ['/', '/a', '/a/b', ''], []],
    ['/login', ['/login'], ['/login/', '/logins', '/Login', '/a/login', '']],
    [
      '/admin/**',
      ['/admin', '/admin/', '/admin/a', '/admin/a/b'],
      ['/administrator', '/adm', '/a/admin'],
    ],
    ['/admin/*', ['/admin/', '/admin/a'], ['/admin', '/admin/a/', '/admin/a/b']],
    ['/*/edit', ['/a/edit', '//edit'], ['/a/b/edit', '/edit']],
    ['/a/**/b', ['/a/b', '/a/x/b', '/a/x/y/b'], ['/a/bb', '/ab', '/a/x', '/axb']],
    ['/a/**/b/**', ['/a/b', '/a/x/b/y', '/a/b/b'], ['/a/x', '/b']],
    ['/**/*.php', ['/x.php', '/a/b/x.php', '/.php'], ['/x.php/', '/x.html', 'x.php']],
    ['**/x', ['/x', '/a/b/x'], ['/yx', '/x/', 'x']],
    ['/**.php', ['/x.php', '/a/b.php'], ['/x.phps']],
    [
      '/v?/items',
      ['/v1/items', '/vé/items', '/v😀/items'],
      ['/v/items', '/v12/items', '/v//items'],
    ],
    ['/a.b+(c)[d]$^|\\', ['/a.b+(c)[d]$^|\\'], ['/aXb+(c)[d]$^|\\']],
    ['/a***', ['/a', '/abc', '/a/b/c'], ['/', 'b']],
    ['/a*', ['/a', '/abc'], ['/a/b', '/']],
    ['', [''], ['/']],
  ];

  test.each(table)('%s', (glob, matches, differs) => {
    const match = compileGlob(glob);
    for (const path of matches) expect([path, match(path)]).toEqual([path, true]);
    for (const path of differs) expect([path, match(path)]).toEqual([path, false]);
    // The result of a match must not depend on earlier calls.
    for (const path of matches) expect(match(path)).toBe(true);
  });
});

describe('in header text no character is special to `*` and `?`', () => {
  const table: readonly [glob: string, matches: readonly string[], differs: readonly string[]][] = [
    ['*Googlebot/*', ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://x/)'], ['Googlebot', '']],
    ['*Googlebot/?.?*', ['x/y Googlebot/2.1;'], ['Googlebot/21']],
    ['curl/*', ['curl/', 'curl/8.5/x'], ['xcurl/8', 'Curl/8']],
    ['*bot', ['bot', 'a/bot'], ['bots']],
    ['ab*ba', ['abba', 'ab/ba'], ['aba']],
    ['a*b*c', ['abc', 'a/b/c', 'abcbc'], ['acb', 'ab']],
    ['a*bc*c', ['abcc'], ['abc']],
    ['**', ['', 'x'], []],
    ['/**', ['/', '/x'], ['x', '']],
    ['exact', ['exact'], ['exactly', 'Exact']],
  ];

  test.each(table)('%s', (glob, matches, differs) => {
    const match = compileTextPattern(glob);
    for (const value of matches) expect([value, match(value)]).toEqual([value, true]);
    for (const value of differs) expect([value, match(value)]).toEqual([value, false]);
  });
});

test('a glob matches exactly the values that its definition describes, character by character', () => {
  const random = seededRandom();
  console.log(`glob property: seed ${random.seed}`);
  for (let round = 0; round < 20_000; round++) {
    const glob = randomText(['/', '/', 'a', 'b', '*', '**', '?', '/**', '/**/'], random.below(7));
    const path = randomText(['/', '/', 'a', 'b'], random.below(8));
    const actual = compileGlob(glob)(path);
    expect([random.seed, glob, path, actual]).toEqual([
      random.seed,
      glob,
      path,
      matchesByDefinition(glob, path),
    ]);
  }

  function randomText(alphabet: readonly [string, ...string[]], length: number): string {
    return Array.from({ length }, () => random.pick(alphabet)).join('');
  }
});

/** Applies the definition of a glob by exhaustive search. */
function matchesByDefinition(glob: string, path: string, whole = true): boolean {
  if (whole && glob === '/**') return true;
  if (glob === '') return path === '';
  if (/^\/\*\*(?=\/|$)/.test(glob)) {
    const rest = glob.slice(3);
    if (matchesByDefinition(rest, path, false)) return true;
    return (
      path.startsWith('/') && cuts(path, 1).some((tail) => matchesByDefinition(rest, tail, false))
    );
  }
  const run = /^\*+/.exec(glob)?.[0];
  if (run !== undefined) {
    const rest = glob.slice(run.length);
    return cuts(path, 0).some(
      (tail, takenLength) =>
        (run.length > 1 || !path.slice(0, takenLength).includes('/')) &&
        matchesByDefinition(rest, tail, false),
    );
  }
  const isFirstMatch = glob[0] === '?' ? path !== '' && path[0] !== '/' : path[0] === glob[0];
  return isFirstMatch && matchesByDefinition(glob.slice(1), path.slice(1), false);
}

function cuts(path: string, from: number): string[] {
  return Array.from({ length: path.length - from + 1 }, (_, index) => path.slice(from + index));
}

test('the number of steps grows with the value, not with the number of ways to match', () => {
  // A backtracking matcher needs about n^20 steps for the first pattern. With such a matcher this test would not end.
  const value = `/${'a'.repeat(16_000)}`;
  expect(compileGlob(`/${'a*'.repeat(20)}b`)(value)).toBe(false);
  expect(compileGlob(`/${'**a'.repeat(20)}b`)(value)).toBe(false);
  expect(compileGlob(`${'/**/a*'.repeat(20)}b`)('/a'.repeat(8000))).toBe(false);
  expect(compileGlob(`/${'a*'.repeat(20)}`)(value)).toBe(true);
});

describe('a pattern is a glob or { regex }', () => {
  test('a string is a glob that has to match the whole value', () => {
    expect(compilePattern('/api/*')('/api/users')).toBe(true);
    expect(compilePattern('/api/*')('/x/api/users')).toBe(false);
    expect(compileTextPattern('*curl/*')('curl/8.5')).toBe(true);
  });

  test('a regex is unanchored and case-sensitive, unless the expression itself says otherwise', () => {
    const match = compilePattern({ regex: 'bot[0-9]' });
    expect(match('a bot7 b')).toBe(true);
    expect(match('a BOT7 b')).toBe(false);
    expect(compilePattern({ regex: '^bot$' })('bots')).toBe(false);
    expect(compilePattern({ regex: '(?i)bot' })('BOT')).toBe(true);
  });

  test('a regex reads the whole value, and `(a+)+$` ends, where a backtracking engine would not', () => {
    const length = 32 * 1024;
    expect(compilePattern({ regex: 'needle' })(`${'x'.repeat(length)}needle`)).toBe(true);
    expect(compilePattern({ regex: '(a+)+$' })(`${'a'.repeat(length)}!`)).toBe(false);
    expect(compilePattern({ regex: '(a|a)*(a|a)*c' })('a'.repeat(length))).toBe(false);
  });

  test('a regex with many steps does not read a long value, and the caller chooses the result for it', () => {
    const costly = { regex: '(?i)(union|select).{1,100}(from|where)' };
    expect(readsWhole(costly)).toBe(false);
    expect(readsWhole({ regex: '(?i)\\.php$' })).toBe(true);
    const long = 'x'.repeat(8_000);
    for (const tooLong of [true, false]) {
      expect(compileTextPattern(costly, tooLong)(long)).toBe(tooLong);
      expect(compilePattern(costly, tooLong)(long)).toBe(tooLong);
      expect(compileTextPattern(costly, tooLong)('select a from b')).toBe(true);
      expect(compileTextPattern(costly, tooLong)('x'.repeat(2_000))).toBe(false);
    }
  });
});

test.each([
  ['((', 'missing closing )'],
  ['[z-a]', 'invalid character class range'],
  ['a{1001}', 'invalid repeat count'],
  ['(?<=a)b', 'invalid named capture'],
  ['((a{1000}){1000}){1000}', 'invalid repeat count'],
])('%s is refused: %s', (source, reason) => {
  expect(compileRegex(source)).toEqual({ kind: 'invalid', reason });
});

test('canMatchPaths is true for exactly the globs that match some path, among all globs of up to four characters', () => {
  const texts = (letters: string, length: number): string[] =>
    length === 0
      ? ['']
      : texts(letters, length - 1).flatMap((text) => [
          text,
          ...Array.from(letters, (letter) => text + letter),
        ]);
  const paths = texts('/a', 4).map((rest) => `/${rest}`);
  const globs = texts('/*?a', 4).filter((glob) => glob !== '');
  const wrong = [...new Set(globs)].filter(
    (glob) => canMatchPaths(glob) !== paths.some(compileGlob(glob)),
  );
  expect(wrong).toEqual([]);
});
