import { QUERY } from '@guard/config/contract/limits';
import { columnNames, isColumnWord } from './column-names.ts';
import { ALLOWED_FORMATS, DENIED_CALLS, isDeniedName, SERVER_DATABASES } from './denied.ts';
import { TABLE } from '../database/accounts.ts';
import { identifier, isSymbol, keyword, lex, type Token } from './lexer.ts';
import { findForeignTable } from './tables.ts';

/** `message` is for the author of the statement. */
type GateVerdict =
  { readonly kind: 'passed' } | { readonly kind: 'refused'; readonly message: string };

/** The first words of a query. `(FROM events SELECT 1)` is a query too. */
const QUERY_STARTS = new Set(['select', 'with', 'from']);

/** Clauses that change settings or write files. The database applies SETTINGS even in a subquery. */
const FORBIDDEN_CLAUSES = new Map([
  ['settings', 'SETTINGS is not allowed: the limits of a statement are fixed.'],
  ['into', 'INTO is not allowed: the rows come in the answer.'],
]);

const ONLY_SELECT = 'Only one read-only SELECT statement is allowed.';

/** The first words of statements about tables that can be in parentheses, as a query can. */
const FORBIDDEN_SUBQUERIES = new Set(['explain', 'describe', 'desc', 'show']);

/**
 * The first of two walls around a statement (contract 4.3). The second wall is the organisation's account. A statement
 * passes the gate when it is one SELECT without settings and files. It must have no name that is dangerous and that the
 * account cannot refuse.
 */
export function judgeStatement(sql: string): GateVerdict {
  if (sql.length > QUERY.maxStatementChars) {
    return refuse(`A statement has at most ${QUERY.maxStatementChars} characters.`);
  }
  const lexResult = lex(sql);
  if (lexResult.kind === 'refused') return lexResult;
  const tokens = withoutFinalSemicolons(lexResult.tokens);
  if (tokens.length === 0) return refuse('The statement is empty.');
  const firstWord = keyword(tokens.find((token) => !isSymbol(token, '(')));
  if (!QUERY_STARTS.has(firstWord)) return refuse(`${ONLY_SELECT}${remedyOf(firstWord)}`);
  const isColumn = columnNames(tokens);
  for (let at = 0; at < tokens.length; at += 1) {
    const message = judgeToken(tokens, at, isColumn);
    if (message !== undefined) return refuse(message);
  }
  const foreignTableMessage = findForeignTable(tokens);
  return foreignTableMessage === undefined ? { kind: 'passed' } : refuse(foreignTableMessage);
}

function judgeToken(
  tokens: readonly Token[],
  at: number,
  isColumn: (at: number) => boolean,
): string | undefined {
  const token = tokens[at];
  if (token === undefined || token.kind === 'string' || token.kind === 'number') return undefined;
  if (token.kind === 'symbol') return judgeSymbol(token.name);
  const name = token.name.toLowerCase();
  if (isDeniedName(name) && !isColumn(at)) {
    return `The name ${token.name} is not available here. If it is the alias of a column, choose another alias.`;
  }
  if (DENIED_CALLS.has(name) && isSymbol(tokens[at + 1], '(')) {
    return `The function ${token.name} is not available: it reveals facts about the server or reads other data.`;
  }
  // A table does not always follow FROM. Examples: `x IN system.one`, `in(x, system.one)`.
  if (SERVER_DATABASES.has(name) && isSymbol(tokens[at + 1], '.')) {
    const table = identifier(tokens[at + 2]) ?? '';
    return `The table ${token.name}.${table} is not available; query ${TABLE}.`;
  }
  return token.kind === 'word' ? judgeKeyword(tokens, at, name) : undefined;
}

function judgeSymbol(symbol: string): string | undefined {
  if (symbol === ';') return 'Only one statement per request is allowed.';
  return symbol === '{'
    ? "Query parameters are not supported: write the value itself, as in 'text', with \\ before ' and \\."
    : undefined;
}

function judgeKeyword(tokens: readonly Token[], at: number, word: string): string | undefined {
  const next = tokens[at + 1];
  const clause = FORBIDDEN_CLAUSES.get(word);
  if (clause !== undefined && !isColumnWord(tokens, at)) return clause;
  if (word === 'parallel' && keyword(next) === 'with') return 'PARALLEL WITH is not allowed.';
  if (isSymbol(tokens[at - 1], '(') && opensForbiddenSubquery(word, next)) {
    return `${word.toUpperCase()} is not allowed.${remedyOf(word)}`;
  }
  const format = identifier(next);
  if (word !== 'format' || format === undefined || isColumnWord(tokens, at)) return undefined;
  if (at + 2 < tokens.length) {
    return FORBIDDEN_CLAUSES.get(keyword(tokens[at + 2])) ?? 'FORMAT must be the last clause.';
  }
  return ALLOWED_FORMATS.has(format.toLowerCase())
    ? undefined
    : `The format ${format} is not available; JSONEachRow, CSVWithNames and Parquet are.`;
}

/** For a refused statement about tables: text that says how to get the columns instead. */
function remedyOf(word: string): string {
  return FORBIDDEN_SUBQUERIES.has(word) && word !== 'explain'
    ? ` For names and types of the columns: SELECT * FROM ${TABLE} LIMIT 0 FORMAT TSVWithNamesAndTypes.`
    : '';
}

/**
 * `exists` is also an operator. The operator is followed by a subquery. The statement is followed by the word TABLE or
 * a name.
 */
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
