import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { rounds, seededRandom } from '../../../test/kit/seeded-random.ts';
import { readFixtures } from './testing/fixtures.ts';
import { formatProblem, parseSettings } from './load.ts';

const PIECES = [
  '"', "'", ':', ': ', '- ', '\n', '\n  ', '\t', '{', '}', '[', ']', '#', '&a ', '*a ', '? ', '| ',
  '>', '!', '!!str ', '%', '@', '`', '${', '${X}', '$${', '<<: ', '~', 'null', 'true', '0', '1e9',
  '---\n', '...\n', '\r', '\u0000', '\ufeff', '\u2028', 'é', '😀', '__proto__: x\n', 'key: ', '\\',
] as const; // prettier-ignore

const MUTATIONS = rounds(400, 15_000);

const LONG_TIMEOUT = { timeout: 300_000 };

test(
  'no mutation of a good file makes the loader throw, and every problem has a position inside the file',
  LONG_TIMEOUT,
  () => {
    const random = seededRandom();
    console.log(`settings fuzz: seed ${random.seed}`);
    const files = readFixtures('good');
    expect(files.length).toBeGreaterThan(0);
    const kinds = { loaded: 0, invalid: 0 };

    for (let round = 0; round < MUTATIONS; round++) {
      const file = files[round % files.length];
      if (file === undefined) throw new Error('unreachable');
      const text = mutate(file.text);
      const clue = `seed ${random.seed}, round ${round}, ${file.name}`;
      const result = parseSettings(text, {
        file: 'guard.yaml',
        baseDir: dirname(file.path),
        env: random.below(4) === 0 ? {} : file.env,
      });
      kinds[result.kind] += 1;
      if (result.kind === 'loaded') continue;
      expect(result.problems.length, clue).toBeGreaterThan(0);
      const lines = text.split('\n');
      for (const problem of result.problems) {
        const line = lines[problem.line - 1];
        expect(line, `${clue}: ${formatProblem(problem)}`).toBeDefined();
        expect(problem.column, clue).toBeGreaterThanOrEqual(1);
        expect(problem.column, clue).toBeLessThanOrEqual((line?.length ?? 0) + 1);
        expect(problem.found, clue).not.toBe('');
        // Each problem has one line and no control sequence for terminals.
        expect(formatProblem(problem), clue).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }
    }
    expect(kinds.loaded).toBeGreaterThan(0);
    expect(kinds.invalid).toBeGreaterThan(0);

    function mutate(text: string): string {
      let mutatedText = text;
      for (let count = 1 + random.below(3); count > 0; count--) {
        const at = random.below(mutatedText.length);
        const length = random.below(8);
        const insert = random.pick(['', 'piece', 'copy', 'line'] as const);
        const from = random.below(mutatedText.length);
        const insertedText = {
          '': '',
          piece: random.pick(PIECES),
          copy: mutatedText.slice(from, from + random.below(40)),
          line: `\n${mutatedText.split('\n')[random.below(mutatedText.split('\n').length)] ?? ''}\n`,
        }[insert];
        mutatedText =
          mutatedText.slice(0, at) +
          insertedText +
          mutatedText.slice(at + (insert === '' ? length : 0));
      }
      return mutatedText;
    }
  },
);

test('an unknown name inside a key is not shown, because it can be the key itself', () => {
  const text =
    'version: 1\norganisations: [{ id: a, secret_keys: [{ id: b, key: { keySECRETkey: *x } }] }]\n';
  const result = parseSettings(text, { file: 'guard.yaml', baseDir: '/', env: {} });
  expect(result).toMatchObject({ kind: 'invalid' });
  expect(JSON.stringify(result)).toContain('organisations[0].secret_keys[0].key[\\"…\\"]');
  expect(JSON.stringify(result)).not.toContain('SECRET');
});

test('no problem contains a key or a secret, wherever the mistake is', LONG_TIMEOUT, () => {
  const random = seededRandom();
  console.log(`secrets fuzz: seed ${random.seed}`);
  const env = { FROM_ENV: 'envSECRETenv%%91827' };
  let problemCount = 0;
  for (let round = 0; round < MUTATIONS; round++) {
    const result = parseSettings(breakLines(SECRET_FILE), {
      file: 'guard.yaml',
      baseDir: '/',
      env,
    });
    if (result.kind === 'loaded') continue;
    for (const problem of result.problems) {
      problemCount += 1;
      expect(JSON.stringify(problem), `seed ${random.seed}, round ${round}`).not.toMatch(/SECRET/);
    }
  }
  expect(problemCount).toBeGreaterThan(MUTATIONS);

  /** Damages the text around the secrets, but keeps the names of the settings with secrets readable. */
  function breakLines(text: string): string {
    const lines = text.split('\n');
    for (let count = 1 + random.below(3); count > 0; count--) {
      const index = random.below(lines.length);
      const line = lines[index] ?? '';
      lines[index] = random.pick([
        (): string => `${line} ${random.pick(PIECES)}`,
        (): string => line.replace(/: (.+)$/, ': [$1]'),
        (): string => line.replace(/: (.+)$/, ': { $1: x }'),
        (): string =>
          line.replace(/: (.+)$/, `: ${random.pick(['*', '&', '!', '@', '`', '"', "'"])}$1`),
        (): string => line.replace(/: (.+)$/, ': $1 $1'),
        (): string => line.replace(/: (.+)$/, ': [x, $1, [$1]]'),
        (): string => `${line}\n${line}`,
        (): string => line.replace('"', ''),
      ])();
    }
    return lines.join('\n');
  }
});

const SECRET_FILE = `version: 1
listen: { gateway: 127.0.0.1:8080 }
health_check_token: tokSECRETtok%%91827
secret:
  - sealSECRETseal%%91827
  - "$\{FROM_ENV}"
organisations:
  - id: acme
    site_key: "$\{FROM_ENV}"
    secret_keys:
      - id: "$\{FROM_ENV}"
        key: keySECRETkey
        health: "$\{FROM_ENV}"
    analytics_keys:
      - id: a
        key: "anSECRETan"
        expires: "$\{FROM_ENV}"
    rules:
      - name: inner
        match:
          header:
            x-token: headSECRET
        verdict: "$\{FROM_ENV}"
sites:
  - hosts: ["$\{FROM_ENV}"]
    organisation: "$\{FROM_ENV}"
    origin: http://user:originSECRET@a:1/
    validator:
      url: ftp://user:urlSECRET@a/?key=querySECRET
      key: remoteSECRET
analytics:
  engine: clickhouse
  url: ftp://user:chSECRET@a/
  user: guard
  password: chSECRETch
store:
  engine: redis
  url: http://:redisSECRET@a/
`;
