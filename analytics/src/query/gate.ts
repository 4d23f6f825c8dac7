import { QUERY } from '@guard/config/contract/limits';
import { ALLOWED_FORMATS, DENIED_CALLS, isDeniedName, SERVER_DATABASES } from './denied.ts';
import { TABLE } from '../database/accounts.ts';
import { identifier, isSymbol, keyword, lex, type Token } from './lexer.ts';
import { findForeignTable } from './tables.ts';

/** What the gate says of a statement; `message` is for its author. */
type GateVerdict =
  { readonly kind: 'passed' } | { readonly kind: 'refused'; readonly message: string };

/** Clauses that change settings or write files; the database would run the first in a subquery. */
const FORBIDDEN_CLAUSES = new Set(['settings', 'into', 'outfile']);

/** Statements that may stand in parentheses like a query, and tell about tables. */
const FORBIDDEN_SUBQUERIES = new Set(['explain', 'describe', 'desc', 'show']);

/**
 * The first of two walls around a statement (contract 4.3): it must be one SELECT, without settings,
 * files, and names that the second wall, the organisation's account, cannot hold back.
 */
export function judgeStatement(sql: string): GateVerdict {
  if (sql.length > QUERY.maxStatementChars) {
    return refuse(`A statement has at most ${QUERY.maxStatementChars} characters.`);
  }
  const lexed = lex(sql);
  if (lexed.kind === 'refused') return lexed;
  const tokens = withoutFinalSemicolons(lexed.tokens);
  if (tokens.length === 0) return refuse('The statement is empty.');
  const first = tokens.find((token) => !isSymbol(token, '('));
  if (keyword(first) !== 'select' && keyword(first) !== 'with') {
    return refuse('Only one read-only SELECT statement is allowed.');
  }
  for (let at = 0; at < tokens.length; at += 1) {
    const message = judgeToken(tokens, at);
    if (message !== undefined) return refuse(message);
  }
  const foreign = findForeignTable(tokens);
  return foreign === undefined ? { kind: 'passed' } : refuse(foreign);
}

function judgeToken(tokens: readonly Token[], at: number): string | undefined {
  const token = tokens[at];
  if (token === undefined || token.kind === 'string' || token.kind === 'number') return undefined;
  if (token.kind === 'symbol') return judgeSymbol(token.name);
  const name = token.name.toLowerCase();
  if (isDeniedName(name)) return `The name ${token.name} is not available.`;
  if (DENIED_CALLS.has(name) && isSymbol(tokens[at + 1], '(')) {
    return `The function ${token.name} is not available.`;
  }
  // Tables stand in more places than FROM: `x IN system.one`, `in(x, system.one)`.
  if (SERVER_DATABASES.has(name) && isSymbol(tokens[at + 1], '.')) {
    const table = identifier(tokens[at + 2]) ?? '';
    return `The table ${token.name}.${table} is not available; query ${TABLE}.`;
  }
  return token.kind === 'word' ? judgeKeyword(tokens, at, name) : undefined;
}

function judgeSymbol(symbol: string): string | undefined {
  if (symbol === ';') return 'Only one statement a request is allowed.';
  return symbol === '{' ? 'Query parameters are not supported.' : undefined;
}

function judgeKeyword(tokens: readonly Token[], at: number, word: string): string | undefined {
  if (FORBIDDEN_CLAUSES.has(word)) return `${word.toUpperCase()} is not allowed.`;
  const next = tokens[at + 1];
  if (word === 'parallel' && keyword(next) === 'with') return 'PARALLEL WITH is not allowed.';
  if (isSymbol(tokens[at - 1], '(') && opensForbiddenSubquery(word, next)) {
    return `${word.toUpperCase()} is not allowed.`;
  }
  const format = identifier(next);
  if (word !== 'format' || format === undefined) return undefined;
  if (at + 2 < tokens.length) return 'FORMAT must be the last clause.';
  return ALLOWED_FORMATS.has(format.toLowerCase())
    ? undefined
    : `The format ${format} is not available.`;
}

/** `exists` is also an operator: then a subquery follows, and not the word TABLE or a name. */
function opensForbiddenSubquery(word: string, next: Token | undefined): boolean {
  if (word === 'exists') return identifier(next) !== undefined;
  return FORBIDDEN_SUBQUERIES.has(word) && (identifier(next) !== undefined || isSymbol(next, '('));
}

function withoutFinalSemicolons(tokens: readonly Token[]): readonly Token[] {
  let end = tokens.length;
  while (isSymbol(tokens[end - 1], ';')) end -= 1;
  return tokens.slice(0, end);
}

function refuse(message: string): GateVerdict {
  return { kind: 'refused', message };
}
