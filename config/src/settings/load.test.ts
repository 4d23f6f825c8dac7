import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { readFixtures } from './testing/fixtures.ts';
import { formatProblem, loadSettings, parseSettings } from './load.ts';
import type { Settings } from './schema.ts';

const goodFixtures = readFixtures('good');
const badFixtures = readFixtures('bad');
const folder = testFolder();

test('the fixture folders have at least 10 good and 30 bad files', () => {
  expect(goodFixtures.length).toBeGreaterThanOrEqual(10);
  expect(badFixtures.length).toBeGreaterThanOrEqual(30);
});

describe('a good file loads', () => {
  test.each(goodFixtures)('$name', ({ path, env }) => {
    const result = loadSettings(path, env);
    expect(result.kind === 'invalid' ? result.problems.map(formatProblem) : []).toEqual([]);
  });
});

describe('a bad file gives every problem at once, with line, column, the found value and the allowed values', () => {
  test.each(badFixtures)('$name', ({ path, env, expected }) => {
    const result = loadSettings(path, env);
    expect(expected).not.toEqual([]);
    expect(result.kind).toBe('invalid');
    const problems = result.kind === 'invalid' ? result.problems : [];
    expect(problems.map((problem) => formatProblem(problem).slice(path.length + 1))).toEqual(
      expected,
    );
  });
});

test('loaded settings are parsed: addresses, milliseconds, hashes, absolute paths, pages', () => {
  const settings = loadFixture('full.yaml');
  const [organisation] = settings.organisations;
  const [site] = settings.sites;
  expect(settings.listen.gateway).toEqual({ kind: 'tcp', host: '0.0.0.0', port: 8080 });
  expect(settings.secret).toHaveLength(2);
  expect(settings.analytics).toMatchObject({
    path: expect.stringMatching(/^\/.*\/config\/fixtures\/good\/data\/analytics$/) as string,
  });
  expect(organisation?.secret_keys[1]).toMatchObject({
    key: Buffer.from('2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae', 'hex'),
    // full.yaml says 2027-01-31. The key is valid until the end of that day.
    expires: Date.UTC(2027, 1, 1),
  });
  expect(organisation?.rules[2]?.rate_limit).toEqual({
    requests: 10,
    per: 60_000,
    by: ['ip', 'header:x-device'],
  });
  expect(organisation?.block_page?.html).toContain('<p>This request was blocked.</p>');
  expect(organisation?.robots_txt).toEqual({ kind: 'managed' });
  expect(organisation?.rules[3]?.block_page?.path).toMatch(
    /^\/.*\/fixtures\/pages\/blocked\.html$/,
  );
  expect(site?.origin).toEqual([
    {
      ...{ kind: 'url', origin: 'http://127.0.0.1:3000', isSecure: false },
      ...{ host: '127.0.0.1', port: 3000 },
    },
    {
      ...{ kind: 'url', origin: 'https://origin.harbour.example', isSecure: true },
      ...{ host: 'origin.harbour.example', port: 443 },
    },
  ]);
});

test('robots_txt is `managed`, a file that is read with the settings, or `managed` with the URL of a licence', () => {
  const [acme, plain, licensed] = loadFixture('pages.yaml').organisations;
  expect(acme?.robots_txt).toMatchObject({
    kind: 'file',
    text: 'User-agent: *\nDisallow: /private\n',
  });
  expect(plain?.robots_txt).toEqual({ kind: 'managed' });
  const license = 'https://shop.example/license.xml';
  expect(licensed?.robots_txt).toEqual({ kind: 'managed', license, use: 'reference' });
});

test('relative paths, also of sockets, start from the folder of the settings file', () => {
  const { listen, sites } = loadFixture('unix-sockets.yaml');
  expect(listen.gateway).toEqual({ kind: 'unix', path: '/run/guard/gateway.sock' });
  expect(listen.admin).toEqual({
    kind: 'unix',
    path: expect.stringMatching(/\/config\/fixtures\/good\/run\/admin\.sock$/) as string,
  });
  expect(sites[1]?.origin[0]).toEqual({
    kind: 'unix',
    path: expect.stringMatching(/\/config\/fixtures\/good\/run\/blog\.sock$/) as string,
  });
});

test('`files` lists each file that is read with the settings, without duplicates; of the files that Guard itself writes, it lists only fetched files', () => {
  const fixture = goodFixtures.find(({ name }) => name === 'full.yaml');
  const result = loadSettings(fixture?.path ?? '', fixture?.env ?? {});
  expect(result.kind).toBe('loaded');
  expect(result.files).toEqual([
    expect.stringMatching(/\/config\/fixtures\/pages\/blocked\.html$/),
    expect.stringMatching(/\/good\/data\/sessions\/databases\/country-[0-9a-f]{16}\.mmdb$/),
    expect.stringMatching(/\/good\/data\/sessions\/databases\/asn-[0-9a-f]{16}\.mmdb$/),
    expect.stringMatching(/\/good\/data\/sessions\/crawlers$/),
  ]);
});

test('`files` is complete also when settings have problems: a missing file can exist at the next reload', () => {
  const result = parseWithLine('organisations: [{ id: acme, robots_txt: ./absent.txt }]', {});
  expect(result).toMatchObject({ kind: 'invalid', files: [join(folder, 'absent.txt')] });
});

test('`positionOf` gives the position of a setting, and for a missing setting the position of its mapping', () => {
  const result = parseWithLine('organisations: [{ id: acme }, { id: other, monitor: true }]', {});
  if (result.kind === 'invalid') throw new Error(result.problems.map(formatProblem).join());
  expect(result.positionOf(['listen', 'docs'])).toEqual({ line: 2, column: 11 });
  expect(result.positionOf(['listen', 'api'])).toEqual({ line: 2, column: 9 });
  expect(result.positionOf(['organisations', 1, 'monitor'])).toEqual({ line: 4, column: 44 });
  expect(result.positionOf(['store'])).toEqual({ line: 1, column: 1 });
});

test('a service without a line under `listen` is off, for example listen.sql', () => {
  const { listen } = loadFixture('clickhouse.yaml');
  expect(listen).toMatchObject({ api: expect.anything() as unknown });
  expect(listen.sql).toBeUndefined();
});

test('a variable is filled in after YAML was parsed, so its value is always text', () => {
  expect(loadFixture('clickhouse.yaml').analytics).toMatchObject({
    password: 'p@ss: word # with everything YAML could trip over',
    spill: expect.stringMatching(/^\/.*\/config\/fixtures\/good\/data\/spill$/) as string,
    privacy: { truncate_ip: true, drop_headers: ['x-account', 'referer'] },
  });
  const result = parseWithLine('secret: ${S}', {
    S: '0123456789abcdef", observe: true #\nobserve: true',
  });
  expect(result).toMatchObject({ kind: 'loaded', settings: { observe: false } });
});

test('$${ is a dollar sign and a brace', () => {
  expect(loadFixture('aliases.yaml').secret).toEqual(['9f2c7b1e5a8d4036${c1e7}f4b2a9d85036']);
});

test('an alias replaces a whole value', () => {
  const { organisations } = loadFixture('aliases.yaml');
  expect(organisations[1]?.rules).toEqual(organisations[0]?.rules);
});

test('names of hosts, headers, methods and countries get one spelling', () => {
  const match = loadFixture('every-match.yaml').organisations[0]?.rules[0]?.match;
  expect(match).toMatchObject({ method: ['POST', 'PUT'], country: ['DE', 'AT', 'NO'] });
  expect(Object.keys(match?.header ?? {}).sort()).toEqual([
    '404',
    'accept-language',
    'x-requested-with',
  ]);
  expect(loadFixture('ipv6.yaml').sites[0]?.hosts).toEqual(['[2001:db8::1]', '*']);
});

describe('a settings file that cannot be read is a problem, not an exception', () => {
  const writeSettings = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const problemsOf = (path: string): string => {
    const result = loadSettings(path, {});
    expect(result.kind).toBe('invalid');
    return result.kind === 'invalid'
      ? result.problems.map((problem) => formatProblem(problem).slice(path.length)).join('\n')
      : '';
  };

  test('because it is missing, or is a folder', () => {
    expect(problemsOf(join(folder, 'none.yaml'))).toBe(
      ':1:1: found no such file; expected a settings file of at most 8 MiB',
    );
    expect(problemsOf(folder)).toMatch(/^:1:1: found a folder or device, not a file;/);
  });

  test('because it is larger than 8 MiB', () => {
    expect(problemsOf(writeSettings('large.yaml', '#'.repeat(8 * 1024 * 1024 + 1)))).toMatch(
      /^:1:1: found a file of more than 8 MiB;/,
    );
    expect(parseWithLine(`#${'é'.repeat(4_200_000)}`, {})).toMatchObject({ kind: 'invalid' });
  });

  test('because it is not UTF-8; the problem has the position of the first invalid byte', () => {
    const bytes = Buffer.from('version: 1\nname: caf\xe9\n', 'latin1');
    expect(problemsOf(writeSettings('latin1.yaml', bytes))).toMatch(
      /^:2:10: found a byte that is not UTF-8;/,
    );
  });

  test('endless nesting is refused', () => {
    expect(problemsOf(writeSettings('deep.yaml', '['.repeat(5000)))).toMatch(
      /found text that is not YAML; the nesting is too deep/,
    );
  });
});

test.each([
  ['brackets on one line', '['.repeat(200_000)],
  ['unknown names', Array.from({ length: 20_000 }, (_, index) => `name_${index}: 1`).join('\n')],
  ['one repeated name', 'version: 1\n'.repeat(20_000)],
  ['aliases of nothing', `a:\n${'- *b\n'.repeat(50_000)}`],
])('a file of %s is refused in time linear in its size', (_, text) => {
  const result = parseSettings(text, { file: 'guard.yaml', baseDir: folder, env: {} });
  expect(result.kind === 'invalid' && result.problems.length).toBeGreaterThan(0);
});

test('a byte order mark and Windows line ends are accepted, and the positions of problems are right', () => {
  const text = '\ufeffversion: 1\r\nlisten: { validator: x }\r\n';
  writeFileSync(join(folder, 'bom.yaml'), text);
  const result = loadSettings(join(folder, 'bom.yaml'), {});
  const problem =
    result.kind === 'invalid' ? result.problems.find(({ found }) => found === '"x"') : undefined;
  expect(problem).toMatchObject({ line: 2, column: 22, path: 'listen.validator' });
});

test('problems above the limit are only counted', () => {
  const names = Array.from({ length: 300 }, (_, index) => `zz${index}: 1`).join('\n');
  const result = parseWithLine(names, {});
  const problems = result.kind === 'invalid' ? result.problems : [];
  expect(problems).toHaveLength(201);
  expect(problems.at(-1)).toMatchObject({ found: '100 more problems' });
});

function loadFixture(name: string): Settings {
  const fixture = goodFixtures.find((candidate) => candidate.name === name);
  const result = loadSettings(fixture?.path ?? name, fixture?.env ?? {});
  if (result.kind === 'loaded') return result.settings;
  throw new Error(result.problems.map(formatProblem).join('\n'));
}

/** Parses a small good file with one additional line. The line can replace a line of the file. */
function parseWithLine(line: string, env: Record<string, string>) {
  const baseLines = ['version: 1', 'listen: { docs: 127.0.0.1:0 }', 'secret: 9f2c7b1e5a8d4036c1e7'];
  const name = line.split(':', 1)[0] ?? '';
  const otherLines = baseLines.filter((baseLine) => !baseLine.startsWith(`${name}:`));
  return parseSettings([...otherLines, line].join('\n'), {
    file: 'guard.yaml',
    baseDir: folder,
    env,
  });
}
