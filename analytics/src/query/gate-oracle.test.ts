import { afterAll, beforeAll, expect, test } from 'vitest';
import { rounds, seededRandom } from '../../../test/kit/seeded-random.ts';
import { readCorpus, statementsOf } from '../testing/corpus.ts';
import { dressStatement } from '../testing/dress-statement.ts';
import { GRAMMAR_FUNCTIONS } from '../testing/grammar-functions.ts';
import { randomStatement } from '../testing/random-statement.ts';
import { openWalledEngine } from '../testing/walled-engine.ts';
import type { WalledEngine } from '../testing/walled-engine.ts';
import { quoteText } from '../database/schema.ts';
import { WORDS_AFTER_COLUMNS } from './column-names.ts';
import { DENIED_CALLS, isDeniedName } from './denied.ts';
import { judgeStatement } from './gate.ts';
import { identifier, lex, type Token } from './lexer.ts';

/** These tests compare the gate with the database's own parser. */

const TEXTS = rounds(10_000, 300_000);
const TREES = rounds(300, 5000);
const LONG = { timeout: 600_000 };
const BATCH = 1000;

let engine: WalledEngine;
beforeAll(async () => {
  engine = await openWalledEngine();
});
afterAll(() => engine.close());

/**
 * The lexer and the database split numbers, and dots next to numbers, differently. That is no danger, because no name
 * can hide in a number or a dot.
 */
function comparable(names: readonly string[]): string {
  return names.filter((name) => name !== 'number' && name !== '.').join(' ');
}

function nameOf(token: Token): string {
  return token.kind === 'word' || token.kind === 'quoted'
    ? `${token.kind}:${token.name}`
    : token.kind === 'symbol'
      ? token.name
      : token.kind;
}

/** Converts one token of `tokenizeQuery` to a token of lexer.ts. The offsets of `tokenizeQuery` are in bytes. */
function readTheirs(text: Buffer, [begin, end, type]: [number, number, string]): string[] {
  const source = text.toString('utf8', begin, end);
  switch (type) {
    case 'Whitespace':
    case 'Comment':
      return [];
    case 'Number':
      return ['number'];
    case 'StringLiteral':
    case 'HereDoc':
      return ['string'];
    case 'QuotedIdentifier':
      return [`quoted:${source.slice(1, -1)}`];
    case 'BareWord':
      return [`word:${source}`];
    default:
      return Array.from(source);
  }
}

test('the lexer splits an accepted text as the database does (seeded)', LONG, async () => {
  const random = seededRandom();
  const acceptedTexts: { text: string; ourTokens: string }[] = [];
  for (let round = 0; round < TEXTS; round += 1) {
    const text = randomStatement(random, 10);
    const lexResult = lex(text);
    if (lexResult.kind === 'tokens') {
      acceptedTexts.push({ text, ourTokens: comparable(lexResult.tokens.map(nameOf)) });
    }
  }
  expect(acceptedTexts.length).toBeGreaterThan(TEXTS / 20);
  for (let from = 0; from < acceptedTexts.length; from += BATCH) {
    const batch = acceptedTexts.slice(from, from + BATCH);
    const list = batch.map(({ text }) => quoteText(text)).join(',');
    const answer = await engine.asOwner(
      `SELECT arrayMap(t -> (t.1, t.2, toString(t.3)), tokenizeQuery(text)) FROM (SELECT arrayJoin([${list}]) AS text) FORMAT JSONCompactEachRow`,
    );
    const lines = answer.trimEnd().split('\n');
    expect(lines).toHaveLength(batch.length);
    for (const [at, { text, ourTokens }] of batch.entries()) {
      // The type is the shape of the rows that the statement above returns.
      const [tokens] = JSON.parse(lines[at] ?? '') as [[number, number, string][]];
      if (tokens.some(([, , type]) => type.startsWith('Error'))) continue;
      const bytes = Buffer.from(text);
      const theirTokens = comparable(tokens.flatMap((token) => readTheirs(bytes, token)));
      expect(theirTokens, `seed ${random.seed}: ${JSON.stringify(text)}`).toBe(ourTokens);
    }
  }
});

/**
 * The functions and table functions that the database finds in a statement. Undefined when the database refuses the
 * statement.
 */
async function parse(sql: string): Promise<Record<'calls' | 'tableCalls', string[]> | undefined> {
  const tree = await engine.asOwner(`EXPLAIN QUERY TREE run_passes = 0 ${sql}`);
  if (tree.startsWith('Code: ')) return undefined;
  const matchesOf = (pattern: RegExp) =>
    Array.from(tree.matchAll(pattern), ([, name = '']) => name);
  return {
    calls: matchesOf(/ FUNCTION id: \d+, function_name: ([^,\s]+)/g),
    tableCalls: matchesOf(/ table_function_name: ([^,\s]+)/g),
  };
}

test(
  'the gate finds every function that the database finds in a statement (seeded)',
  LONG,
  async () => {
    const random = seededRandom();
    const usableStatements = [...readCorpus('useful/*.txt'), ...readCorpus('{held,bombs}.txt')];
    const statements = statementsOf(usableStatements).filter((sql) => !/\bFORMAT\b/.test(sql));
    const [first = '', ...rest] = statements;
    const dressedStatements = Array.from({ length: TREES }, () =>
      dressStatement(random.pick([first, ...rest]), random),
    );
    let parsedCount = 0;
    for (const sql of [...statements, ...dressedStatements]) {
      if (judgeStatement(sql).kind === 'refused') continue;
      const theirTree = await parse(sql);
      if (theirTree === undefined) continue;
      parsedCount += 1;
      const lexResult = lex(sql);
      const tokens = lexResult.kind === 'tokens' ? lexResult.tokens : [];
      const readNames = new Set(tokens.map((token) => identifier(token)?.toLowerCase()));
      const names = [...theirTree.calls, ...theirTree.tableCalls].map((name) => name.toLowerCase());
      const seedAndSql = `seed ${random.seed}: ${sql}`;
      expect(names.filter(isDeniedName), seedAndSql).toEqual([]);
      expect(
        names.filter((name) => DENIED_CALLS.has(name)),
        seedAndSql,
      ).toEqual([]);
      const missedNames = names.filter(
        (name) => !readNames.has(name) && !GRAMMAR_FUNCTIONS.has(name),
      );
      expect(missedNames, seedAndSql).toEqual([]);
    }
    expect(parsedCount).toBeGreaterThan(statements.length / 2);
  },
);

test('the parser of the database finds functions that a reader might miss', async () => {
  const hiddenCalls = [
    "SELECT * APPLY(file) FROM (SELECT 'x')",
    "SELECT 1 /* /* */ ' */, file('x') -- '",
  ];
  for (const sql of hiddenCalls) expect((await parse(sql))?.calls).toContain('file');
});

function isDenied(name: string): boolean {
  return isDeniedName(name.toLowerCase()) || DENIED_CALLS.has(name.toLowerCase());
}

test('every function of the database is refused by the gate, or in the list of reviewed functions', async () => {
  const reviewedNames = new Set(
    statementsOf(readCorpus('reviewed-functions.txt')).join(' ').split(' '),
  );
  const names = (await engine.asOwner('SELECT lower(name) FROM system.functions'))
    .trim()
    .split('\n');
  expect(names.length).toBeGreaterThan(1000);
  expect(names.filter((name) => !isDenied(name) && !reviewedNames.has(name))).toEqual([]);
  expect([...reviewedNames].filter(isDenied)).toEqual([]);
});

test('a function that works without parentheses is refused without parentheses', async () => {
  const functionNames = (await engine.asOwner('SELECT name FROM system.functions'))
    .trim()
    .split('\n');
  const calledNames: string[] = [];
  for (const name of functionNames.filter((each) => /^\w+$/.test(each) && isDenied(each))) {
    if (!(await engine.asOwner(`SELECT ${name}`)).startsWith('Code: ')) calledNames.push(name);
  }
  expect(calledNames.sort()).toEqual(['currentUser', 'current_user', 'session_user', 'user']);
  for (const name of calledNames) {
    expect(judgeStatement(`SELECT ${name}`)).toMatchObject({ kind: 'refused' });
  }
});

test('no word that may follow a column is the name of a setting or format', async () => {
  const words = [...WORDS_AFTER_COLUMNS].map(quoteText).join(',');
  const settingsQuery = `SELECT name FROM system.settings WHERE lower(name) IN (${words}) UNION ALL
    SELECT name FROM system.formats WHERE lower(name) IN (${words})`;
  expect(await engine.asOwner(settingsQuery)).toBe('');
  expect(await engine.asOwner("SELECT name FROM system.settings WHERE name = 'limit'")).not.toBe(
    '',
  );
});

test.each(['events', 'events_distributed'])(
  'every virtual column of %s is refused, because all organisations share the storage',
  async (table) => {
    const columns = await engine.asOwner(
      `DESCRIBE TABLE ${table} SETTINGS describe_include_virtual_columns = 1 FORMAT JSONEachRow`,
    );
    const virtual = columns
      .trim()
      .split('\n')
      // The type is the shape of the rows that DESCRIBE returns.
      .map((line) => JSON.parse(line) as { name: string; is_virtual: number })
      .filter((column) => column.is_virtual === 1);
    expect(virtual.length).toBeGreaterThan(10);
    expect(virtual.filter(({ name }) => !isDeniedName(name.toLowerCase()))).toEqual([]);
  },
);
