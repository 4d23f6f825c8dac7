import { DATABASE, LOCAL_TABLE, TABLE } from '../database/accounts.ts';
import { TABLE_FUNCTIONS } from './denied.ts';
import { identifier, isSymbol, keyword, type Token } from './lexer.ts';

/**
 * Finds a forbidden table in the tokens, so that the message is clear. The account has rights to only two tables, so
 * this check is not the protection.
 */

/** A pair of parentheses, or the whole statement. */
interface Frame {
  /** True for a query: after its FROM come tables. False for `extract(day FROM …)`. */
  isQuery: boolean;
  /** True between FROM and the next clause, where a comma is followed by another table. */
  inFrom: boolean;
}

const QUERY_STARTS = new Set(['select', 'with', 'from']);
/** Words after which a parenthesis is a query: `((SELECT 1) UNION ALL SELECT 2)`. */
const QUERY_JOINTS = new Set(['select', 'union', 'intersect', 'except']);
const NEXT_CLAUSES = new Set(
  'where prewhere group order having limit union except intersect select window qualify on using offset format'.split(
    ' ',
  ),
);

/** Returns the message for the first table that is not allowed. */
export function findForeignTable(tokens: readonly Token[]): string | undefined {
  const knownTables = new Set([LOCAL_TABLE, TABLE, ...cteNames(tokens)]);
  const frames: Frame[] = [];
  let frame: Frame = { isQuery: true, inFrom: false };
  /** The last position at which a table was expected. */
  let tableAt = -1;
  for (let at = 0; at < tokens.length; at += 1) {
    if (isSymbol(tokens[at], ')')) {
      frame = frames.pop() ?? frame;
      continue;
    }
    if (isSymbol(tokens[at], '(')) {
      frames.push(frame);
      frame = openFrame(tokens[at + 1], at === tableAt);
      if (!frame.inFrom) continue;
    } else {
      frame.isQuery ||= QUERY_JOINTS.has(keyword(tokens[at]));
      if (!frame.isQuery || !namesTableNext(tokens, at, frame)) continue;
    }
    tableAt = at + 1;
    const problem = judgeTable(tokens, tableAt, knownTables);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Where a table is expected, parentheses contain a query or several tables: `FROM ((SELECT 1) AS a JOIN …)`. */
function openFrame(first: Token | undefined, isTable: boolean): Frame {
  const isQuery = QUERY_STARTS.has(keyword(first));
  return { isQuery: isQuery || isTable, inFrom: isTable && !isQuery };
}

/** True when a table follows the token at `at`. Also updates the state of the FROM clause. */
function namesTableNext(tokens: readonly Token[], at: number, frame: Frame): boolean {
  if (isSymbol(tokens[at], ',')) return frame.inFrom;
  const word = keyword(tokens[at]);
  const previousWord = keyword(tokens[at - 1]);
  if (word === 'from') {
    const wordBeforePrevious = keyword(tokens[at - 2]);
    const isComparison =
      previousWord === 'distinct' && (wordBeforePrevious === 'is' || wordBeforePrevious === 'not');
    const isFill = previousWord === 'fill' && wordBeforePrevious === 'with';
    if (isComparison || isFill) return false;
    frame.inFrom = true;
    return true;
  }
  if (word === 'join') {
    frame.inFrom = previousWord !== 'array';
    return frame.inFrom;
  }
  if (NEXT_CLAUSES.has(word)) frame.inFrom = false;
  return false;
}

function judgeTable(
  tokens: readonly Token[],
  at: number,
  knownTables: ReadonlySet<string>,
): string | undefined {
  const [first, second, third] = tokens.slice(at, at + 3);
  // A parenthesis starts a subquery or a join. The loop checks the tables inside later.
  if (isSymbol(first, '(')) return undefined;
  const name = identifier(first);
  if (name === undefined) return 'The name of a table must be a plain identifier.';
  if (isSymbol(second, '(')) {
    if (TABLE_FUNCTIONS.has(name.toLowerCase())) return undefined;
    return `The table function ${name} is not available; numbers, generateSeries and values are.`;
  }
  if (isSymbol(second, '.')) {
    const table = identifier(third) ?? '';
    if (name === DATABASE && (table === LOCAL_TABLE || table === TABLE)) return undefined;
    return `The table ${name}.${table} is not available; query ${TABLE}.`;
  }
  return knownTables.has(name) ? undefined : `The table ${name} is not available; query ${TABLE}.`;
}

/**
 * Returns the names given by `name AS (SELECT …)`, `name AS MATERIALIZED (SELECT …)` and `name(a, b) AS (SELECT …)`.
 */
function cteNames(tokens: readonly Token[]): string[] {
  const names: string[] = [];
  const openPositions: number[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (isSymbol(tokens[at], '(')) openPositions.push(at);
    if (isSymbol(tokens[at], ')')) {
      const open = openPositions.pop() ?? 0;
      if (startsSubquery(tokens, at + 1)) names.push(identifier(tokens[open - 1]) ?? '');
    } else if (startsSubquery(tokens, at + 1)) {
      names.push(identifier(tokens[at]) ?? '');
    }
  }
  return names;
}

/** True for `AS ( SELECT` and `AS MATERIALIZED ( SELECT`. */
function startsSubquery(tokens: readonly Token[], at: number): boolean {
  if (keyword(tokens[at]) !== 'as') return false;
  const open = keyword(tokens[at + 1]) === 'materialized' ? at + 2 : at + 1;
  const firstInside = tokens[open + 1];
  return (
    isSymbol(tokens[open], '(') &&
    (QUERY_STARTS.has(keyword(firstInside)) || isSymbol(firstInside, '('))
  );
}
