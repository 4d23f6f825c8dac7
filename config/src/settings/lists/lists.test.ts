import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../../test/kit/test-folder.ts';
import { formatProblem, type LoadResult, parseSettings } from '../load.ts';
import type { Match } from '../sections/rule.ts';
import { fetchedListsOf } from '../derived/fetched-lists.ts';
import { atOnce, workInSlices } from '../../time/slices.ts';
import { copyOf, formatCopy } from './list-copy.ts';
import { MAX_ENTRIES, parseList } from './list-text.ts';

const folder = testFolder();
const FIXTURES = join(import.meta.dirname, '../../../fixtures/good');

function parseWith(match: string, top = '', baseDir = folder): LoadResult {
  const text = `version: 1
listen: { admin: 127.0.0.1:1 }
secret: b8d2046a7f3c1e95b8d2047a7f3c1e95
${top}
organisations: [{ id: acme, rules: [{ name: r, verdict: block, match: ${match} }] }]
`;
  return parseSettings(text, { file: 'guard.yaml', baseDir, env: {} });
}

function matchOf(result: LoadResult): Match | undefined {
  if (result.kind === 'invalid') throw new Error(result.problems.map(formatProblem).join('\n'));
  return result.settings.organisations[0]?.rules[0]?.match;
}

function problemsOf(result: LoadResult): readonly string[] {
  return result.kind === 'invalid' ? result.problems.map(formatProblem) : [];
}

function writeList(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.join('\n'));
  return path;
}

describe('a list from a file', () => {
  test('is read with the settings, without comments and blank lines', () => {
    const match = matchOf(
      parseWith(
        '{ ip: [192.0.2.1, { file: ../lists/banned.txt }], asn: { file: ../lists/systems.txt }, user_agent: [{ regex: x }, { file: ../lists/agents.txt }] }',
        '',
        FIXTURES,
      ),
    );
    expect(match).toMatchObject({
      ip: ['192.0.2.1', '203.0.113.7', '198.51.100.0/24', '2001:db8::/32'],
      asn: [64_496, 64_511],
      user_agent: [{ regex: 'x' }, '*curl/*', 'scraper #1*'],
    });
  });

  test('is among the files of the settings, whether it is good or bad', () => {
    const good = writeList('good.txt', '192.0.2.1');
    const bad = writeList('bad.txt', 'no address');
    expect(parseWith('{ ip: { file: good.txt } }').files).toEqual([good]);
    expect(parseWith('{ any: [{ ip: [{ file: bad.txt }] }] }').files).toEqual([bad]);
    expect(parseWith('{ header: { file: good.txt } }').files).toEqual([]);
  });

  test('a bad line is a problem with the position in that file; five such problems are shown', () => {
    const path = writeList(
      'typo.txt',
      '# list',
      '192.0.2.1',
      '300.1.1.1',
      '',
      ' 10.0.0.0/33 # wide',
    );
    expect(problemsOf(parseWith('{ ip: { file: typo.txt } }'))).toEqual([
      `${path}:3:1: organisations[0].rules[0].match.ip: found "300.1.1.1"; expected an IP address or a CIDR range; one a line, and # begins a comment`,
      `${path}:5:1: organisations[0].rules[0].match.ip: found "10.0.0.0/33"; expected an IP address or a CIDR range; one a line, and # begins a comment`,
    ]);
    writeList('many.txt', ...Array.from({ length: 9 }, (_, at) => `bad${at}`));
    const manyProblems = problemsOf(parseWith('{ ip: [192.0.2.1, { file: many.txt }] }'));
    expect(manyProblems).toHaveLength(5);
    expect(manyProblems[4]).toMatch(
      /many\.txt:5:1: .*match\.ip\[1\]: found "bad4"; .*; 4 more lines are bad$/,
    );
  });

  test('problems never show a line of a file that is not a list, such as a file of secrets', () => {
    writeList('.env', 'SECRET=hunter2hunter2', `-----BEGIN ${'A'.repeat(64)}`);
    const problems = problemsOf(parseWith('{ ip: { file: .env } }')).join('\n');
    expect(problems).toContain(
      '.env:1:1: organisations[0].rules[0].match.ip: found a line (not shown)',
    );
    expect(problems).not.toMatch(/hunter2|AAAA/);
  });

  test('100,000 addresses are read without a schema for each, and one more than the maximum is refused', () => {
    const addresses = Array.from(
      { length: 100_000 },
      (_, at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
    );
    writeList('long.txt', ...addresses);
    expect(matchOf(parseWith('{ ip: { file: long.txt } }'))?.ip).toEqual(addresses);
    const text = '192.0.2.1\n'.repeat(MAX_ENTRIES.ip);
    expect(atOnce(parseList(text, 'ip')).kind).toBe('parsed');
    expect(atOnce(parseList(`${text}192.0.2.1`, 'ip'))).toEqual({
      kind: 'too_long',
      maxEntries: 250_000,
    });
  });

  test('rules that name the same list of addresses share it, so it is counted once', () => {
    writeList(
      'shared.txt',
      ...Array.from({ length: 60_000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`),
    );
    for (const ip of ['{ file: shared.txt }', '[{ file: shared.txt }, 192.0.2.1]']) {
      const matches = Array(100).fill(`{ ip: ${ip} }`).join();
      const lists = matchOf(parseWith(`{ any: [${matches}] }`))?.any?.map((match) => match.ip);
      expect(lists).toHaveLength(100);
      expect(new Set(lists).size).toBe(1);
    }
  });

  test('each of several lists is counted, also when they differ in only one entry', () => {
    const addressOf = (at: number) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
    const addresses = Array.from({ length: 250_000 }, (_, at) => addressOf(at));
    writeList('large.txt', addresses.join('\n'));
    const matches = (count: number) =>
      Array.from({ length: count }, (_, at) => `{ ip: [{ file: large.txt }, 192.0.2.${at}] }`);
    expect(problemsOf(parseWith(`{ any: [${matches(3).join()}] }`))).toEqual([]);
    expect(problemsOf(parseWith(`{ any: [${matches(4).join()}] }`)).join()).toContain(
      'expected lists of ip with at most 1000000 entries in all rules together',
    );
  });

  test('a list has at most 1,000 patterns, and all rules together have at most 10,000', () => {
    const patterns = Array.from({ length: 1_000 }, (_, at) => `*bot${at}*`);
    writeList('agents.txt', ...patterns);
    const agents = '{ file: agents.txt }';
    const matchWithLists = (count: number) =>
      `{ user_agent: [${Array(count).fill(agents).join()}] }`;
    expect(matchOf(parseWith(matchWithLists(10)))?.user_agent).toHaveLength(10_000);
    expect(problemsOf(parseWith(matchWithLists(11))).join()).toContain(
      'expected lists of user_agent with at most 10000 entries in all rules together',
    );
    writeList('agents.txt', ...patterns, 'one more');
    expect(problemsOf(parseWith(matchWithLists(1))).join()).toContain(
      'expected a list of at most 1000 entries',
    );
  });
});

test('a long list is parsed in steps, with the same result', async () => {
  const text = `${'203.0.113.7\n'.repeat(5_500)}nonsense\r\n\n# end`;
  let pauses = 0;
  const parsedList = await workInSlices(parseList(text, 'ip'), () => void (pauses += 1));
  expect([pauses, parsedList]).toEqual([5, atOnce(parseList(text, 'ip'))]);
  expect(parsedList).toMatchObject({ badLineCount: 1, lines: [{ line: 5_501, text: 'nonsense' }] });
});

describe('a list from a URL', () => {
  const URL_OF = 'https://lists.example/drop.txt';
  const MATCH = `{ ip: [192.0.2.1, { url: '${URL_OF}', every: 30m }] }`;
  const STORE = 'store: { engine: memory, path: ./data }';

  /** Writes a copy of the list from the URL into a data folder. */
  function copyIn(data: string, text: string): string {
    const copy = copyOf(join(folder, data), 'ip', URL_OF);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, text);
    return copy;
  }

  test.each([
    ['the store', STORE, 'data'],
    ['the embedded database', 'analytics: { engine: embedded, path: ./events }', 'events'],
  ])(
    'has its last good copy in the folder of the setting %s, and the copy is a file of the settings',
    (_what, top, data) => {
      const before = parseWith(MATCH, top);
      expect(matchOf(before)?.ip).toEqual(['192.0.2.1']);
      const copy = copyIn(data, '203.0.113.7\n');
      const result = parseWith(MATCH, top);
      expect(matchOf(result)?.ip).toEqual(['192.0.2.1', '203.0.113.7']);
      expect(before.files).toContain(copy);
      expect(result.kind === 'loaded' && fetchedListsOf(result.settings)).toEqual([
        { kind: 'ip', url: URL_OF, everyMs: 1_800_000, copyPath: copy, isRead: true },
      ]);
    },
  );

  test('at most 16 URLs are allowed', () => {
    const lists = (count: number) =>
      Array.from({ length: count }, (_, at) => `{ url: 'https://lists.example/${at}' }`).join();
    expect(problemsOf(parseWith(`{ ip: [${lists(16)}] }`, STORE))).toEqual([]);
    expect(problemsOf(parseWith(`{ ip: [${lists(17)}] }`, STORE)).join()).toContain(
      'at most 16 lists',
    );
  });

  test('a damaged copy is treated as missing, so Guard still starts', () => {
    copyIn('data', '<html>');
    expect(matchOf(parseWith(MATCH, STORE))?.ip).toEqual(['192.0.2.1']);
  });

  test('a copy begins with its source, in a comment', () => {
    const text = formatCopy(
      { url: URL_OF, fetched_at: '2026-01-01T00:00:00.000Z' },
      '203.0.113.7\n',
    );
    expect(atOnce(parseList(text, 'ip'))).toEqual({ kind: 'parsed', entries: ['203.0.113.7'] });
    expect(atOnce(parseList(text, 'user_agent'))).toEqual({
      kind: 'parsed',
      entries: ['203.0.113.7'],
    });
  });
});
