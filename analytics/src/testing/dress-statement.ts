import type { SeededRandom } from '../../../test/kit/seeded-random.ts';

const GAPS = [
  ' ',
  '\n',
  '\t',
  '\r\n',
  '\f',
  '\v',
  '/**/',
  '/* ; */',
  "/* ' */",
  '/* `" */',
  '/* $a$ */',
  '/* -- */',
  '/*/*/',
  '/*/ */',
  '/* /* */',
  '/* // */',
  '-- x\n',
  "-- '\n",
  '--/*\n',
  "// '\n",
  '// */\n',
  '# y\n',
  "#! '\n",
  '\u00a0',
  '\u3000',
  '\u200b',
] as const;

/** Statements around a query. The text before the query would mislead a wrong lexer. */
const PLACES = [
  (query: string) => query,
  (query: string) => query,
  (query: string) => `SELECT * FROM (${query})`,
  (query: string) => `SELECT * FROM ((SELECT 1) UNION ALL ${query})`,
  (query: string) => `SELECT * FROM ((${query}) AS a CROSS JOIN (SELECT 1) AS b)`,
  (query: string) => `WITH q AS (${query}) SELECT * FROM q`,
  (query: string) => `WITH RECURSIVE q AS (${query}) SELECT * FROM q`,
  (query: string) => `SELECT (${query})`,
  (query: string) => `SELECT arrayMap(x -> (${query}), [1])`,
  (query: string) => `SELECT EXISTS (${query})`,
  (query: string) => `SELECT 1 WHERE 1 IN (${query})`,
  (query: string) => `SELECT [(${query})]`,
  (query: string) => `SELECT 1 UNION ALL (${query})`,
  (query: string) => `SELECT 1 FROM events AS e, (${query}) AS f`,
  (query: string) => `SELECT $q$'$q$, (${query}), $q$'$q$`,
  (query: string) => `SELECT $$"$$, (${query})`,
  (query: string) => `SELECT 'a''b\\'', (${query})`,
  (query: string) => `SELECT '\\\\', (${query})`,
  (query: string) => `SELECT x'27', b'00100111', 0x27, 1.5e-3, (1, 2).1, (${query})`,
  (query: string) => `SELECT 1 AS \`a ' b\`, 2 AS "c ' d", (${query})`,
  (query: string) => `SELECT * FROM view(${query})`,
] as const;

const TOKEN =
  /'(?:[^'\\]|\\.|'')*'|`[^`]*`|"[^"]*"|\$(\w*)\$.*?\$\1\$|[A-Za-z_]\w*|\d[\w.]*|[^\S\n]+|\n|::|->|\|\||[<>!=]=|./gsu;

/** Tokens for a quote that is not closed. */
const QUOTES = new Set(["'", '"', '`']);
/**
 * Matches statements without comments, escapes and strange characters. In other statements these characters are the
 * attack itself, so they are not changed.
 */
const PLAIN = /^(?!.*(?:--|\/\/|\/\*|[#$\\]))[\x20-\x7e]+$/;

/**
 * Disguises a statement as an attacker would: changes case, adds comments, white space and quotes, and puts it inside
 * another statement.
 */
export function dressStatement(sql: string, random: SeededRandom): string {
  if (!PLAIN.test(sql)) return sql;
  const tokens = sql.match(TOKEN) ?? [];
  if (tokens.some((token) => QUOTES.has(token))) return sql;
  const isQuery = /^(?:SELECT|WITH)\b/.test(sql) && !/\bFORMAT\b/.test(sql);
  const dressedTokens = tokens.map((token, at) => {
    if (/^\s+$/.test(token)) return random.below(3) === 0 ? random.pick(GAPS) : token;
    if (!/^[A-Za-z_]\w*$/.test(token)) return token;
    const isCalled = tokens[at + 1] === '(' || tokens[at + 1] === '.';
    if (isCalled && random.below(3) === 0) return quoteWord(token, random);
    const gap = isCalled && random.below(6) === 0 ? random.pick(GAPS) : '';
    return (isKeyword(token) ? otherCase(token, random) : token) + gap;
  });
  const query = dressedTokens.join('');
  return isQuery ? random.pick(PLACES)(query) : query;
}

function isKeyword(word: string): boolean {
  return word === word.toUpperCase();
}

function otherCase(word: string, random: SeededRandom): string {
  if (random.below(2) === 0) return word;
  return Array.from(word, (char) => (random.below(2) === 0 ? char.toLowerCase() : char)).join('');
}

function quoteWord(word: string, random: SeededRandom): string {
  const quote = random.pick(['`', '"']);
  return quote + word + quote;
}
