import { LOCAL_TABLE, TABLE } from '../database/accounts.ts';
import { identifier, keyword, lex, type Token } from './lexer.ts';

/** These functions change two forms of valid SQL that ClickHouse refuses. The gate checks the changed statement too. */

/** A UTC time as many programs write it: `'2026-11-20T08:00:00.000Z'`. */
const UTC_TIME = /^'\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.(\d{1,9}))?Z'$/;
/** Digits after the decimal point in `created_at`. */
const COLUMN_DIGITS = 3;

/**
 * Finds a UTC time that is compared with created_at. Each token is one letter: `t` is a UTC time, `c` is created_at.
 * Examples: `c > t`, `c NOT BETWEEN t AND t`.
 */
const COMPARED_TIME = /(?<=c(?:o{1,2}|n?b|n?b[ts]a))t|t(?=o{1,2}(?:i\.)*c(?![.(]))/g;

/** Returns the statement with `toDateTime64('…Z', 3, 'UTC')` for each time that is compared with `created_at`. */
export function withUtcTimes(sql: string): string {
  const tokens = tokensOf(sql);
  const letters = tokens.map((token) => letterOf(sql, token)).join('');
  const times = Array.from(letters.matchAll(COMPARED_TIME), ({ index }) => tokens[index]);
  return replace(
    sql,
    times
      .filter((token) => token !== undefined)
      .map(({ at, end }) => ({ at, end, replacement: momentOf(sql.slice(at, end)) })),
  );
}

function momentOf(text: string): string {
  const digits = Math.max(COLUMN_DIGITS, UTC_TIME.exec(text)?.[1]?.length ?? 0);
  return `toDateTime64(${text}, ${digits}, 'UTC')`;
}

/**
 * Returns the statement with the local table in place of the distributed table, for a server that has all rows.
 * ClickHouse refuses a subquery over a Distributed table when the subquery uses columns of the outer query. The local
 * table has the row policy too. Returns undefined when one of the two table names means something else in this
 * statement.
 */
export function overLocalTable(sql: string): string | undefined {
  const tokens = tokensOf(sql);
  const hasOtherMeaning = (token: Token, at: number): boolean =>
    identifier(token) === LOCAL_TABLE ||
    (identifier(token) === TABLE && keyword(tokens[at - 1]) === 'as');
  if (tokens.some(hasOtherMeaning)) return undefined;
  const tables = tokens.filter((token) => identifier(token) === TABLE);
  return replace(
    sql,
    tables.map(({ at, end }) => ({ at, end, replacement: LOCAL_TABLE })),
  );
}

function tokensOf(sql: string): readonly Token[] {
  const lexResult = lex(sql);
  return lexResult.kind === 'tokens' ? lexResult.tokens : [];
}

function letterOf(sql: string, token: Token): string {
  switch (token.kind) {
    case 'string':
      return UTC_TIME.test(sql.slice(token.at, token.end)) ? 't' : 's';
    case 'symbol':
      if (token.name === '.') return '.';
      return '<>=!'.includes(token.name) ? 'o' : '-';
    case 'number':
      return '-';
    case 'quoted':
      return token.name === 'created_at' ? 'c' : 'i';
    case 'word':
      if (token.name === 'created_at') return 'c';
      return { not: 'n', between: 'b', and: 'a' }[keyword(token)] ?? 'i';
  }
}

/** `changes` are sorted by position. */
export function replace(
  sql: string,
  changes: readonly { readonly at: number; readonly end: number; readonly replacement: string }[],
): string {
  const parts: string[] = [];
  let copiedEnd = 0;
  for (const { at, end, replacement } of changes) {
    parts.push(sql.slice(copiedEnd, at), replacement);
    copiedEnd = end;
  }
  return parts.join('') + sql.slice(copiedEnd);
}
