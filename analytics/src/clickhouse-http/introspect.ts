import { quoteName, quoteText } from '../database/schema.ts';
import { replace } from '../query/adapt.ts';
import { identifier, isSymbol, keyword, lex, type Token } from '../query/lexer.ts';
import { SYSTEM_TABLES } from './system-tables.ts';

/** Facts about the server and the account, for programs that ask for them. */
export interface ServerInfo {
  readonly version: string;
  readonly revision: number;
  readonly organisation: string;
}

const organisationText = (info: ServerInfo): string => quoteText(info.organisation);
const NAME_OF_SERVER = "'Guard'";

/** For each function without arguments, its name in lower case and its value. */
const FUNCTIONS: ReadonlyMap<string, (info: ServerInfo) => string> = new Map([
  ['version', ({ version }) => quoteText(version)],
  // The type is the same as in ClickHouse, because programs read the bytes of the value.
  ['revision', ({ revision }) => `toUInt32(${revision})`],
  ['displayname', () => NAME_OF_SERVER],
  ['hostname', () => NAME_OF_SERVER],
  ['currentuser', organisationText],
  ['user', organisationText],
]);

const TABLE_PATTERN = '(?:[`"]?(?<database>\\w+)[`"]?\\.)?[`"]?(?<table>\\w+)[`"]?';
const DESCRIBE_COLUMNS =
  "name, type, '' AS default_type, default_expression, comment, '' AS codec_expression, '' AS ttl_expression";

/**
 * Statements about tables. For each there is a query with the same answer. `table` has only letters, digits and `_`.
 */
const TABLE_STATEMENTS: readonly (readonly [start: string, query: (table: string) => string])[] = [
  ['SHOW (?:DATABASES|SCHEMAS)', () => 'SELECT name FROM system.databases WHERE 1'],
  [
    'SHOW TABLES(?: (?:FROM|IN) [`"]?(?<database>\\w+)[`"]?)?',
    () => 'SELECT name FROM system.tables WHERE 1',
  ],
  [
    `DESC(?:RIBE)? (?:TABLE )?${TABLE_PATTERN}`,
    (table) => `SELECT ${DESCRIBE_COLUMNS} FROM system.columns WHERE table = '${table}'`,
  ],
  [
    `EXISTS (?:TABLE )?${TABLE_PATTERN}`,
    (table) => `SELECT toUInt8(count()) AS result FROM system.tables WHERE name = '${table}'`,
  ],
];
const STATEMENT_PATTERNS = TABLE_STATEMENTS.map(([start, query]) => {
  const patternText = `^\\s*${start.replaceAll(' ', '\\s+')}(?:\\s+(?<format>FORMAT\\s+\\w+))?[\\s;]*$`;
  return { pattern: new RegExp(patternText, 'i'), query };
});

/** True for a statement whose answer needs the version of the server. */
export function asksForVersion(sql: string): boolean {
  return /\b(?:version|revision)\b/i.test(sql);
}

/**
 * Replaces questions about the database by constants. The gate refuses the forbidden functions and tables that are
 * still in the statement.
 */
export function introspect(givenSql: string, info: ServerInfo): string {
  const sql = asSelect(givenSql);
  const lexResult = lex(sql);
  if (lexResult.kind === 'refused') return sql;
  const { tokens } = lexResult;
  const usedTables = new Set<string>();
  const changes = tokens.flatMap((token, tokenIndex) => {
    const end = tokens[tokenIndex + 2]?.end;
    if (end === undefined || isSymbol(tokens[tokenIndex - 1], '.')) return [];
    const table = systemTable(tokens, tokenIndex);
    if (table !== undefined) {
      usedTables.add(table);
      return [{ at: token.at, end, replacement: quoteName(table) }];
    }
    const value = constantCall(tokens, tokenIndex, info);
    return value === undefined ? [] : [{ at: token.at, end, replacement: value }];
  });
  return withTables(replace(sql, changes), tokens, usedTables);
}

function asSelect(sql: string): string {
  for (const { pattern, query } of STATEMENT_PATTERNS) {
    const groups = pattern.exec(sql)?.groups;
    if (groups === undefined) continue;
    const { database, table = '', format = '' } = groups;
    const databaseCondition = database === undefined ? '' : `AND database = '${database}'`;
    return `${query(table)} ${databaseCondition} ${format}`;
  }
  return sql;
}

/** The name of a known table, such as `columns` of `system.columns`. Undefined for other tokens. */
function systemTable(tokens: readonly Token[], at: number): string | undefined {
  if (identifier(tokens[at]) !== 'system' || !isSymbol(tokens[at + 1], '.')) return undefined;
  const name = identifier(tokens[at + 2]) ?? '';
  return SYSTEM_TABLES.has(name) ? name : undefined;
}

/** The constant for a call such as `version()`. The column keeps the function's name, because programs look it up. */
function constantCall(tokens: readonly Token[], at: number, info: ServerInfo): string | undefined {
  const name = identifier(tokens[at]) ?? '';
  const value = FUNCTIONS.get(name.toLowerCase());
  const isCall = isSymbol(tokens[at + 1], '(') && isSymbol(tokens[at + 2], ')');
  return value && isCall ? `(${value(info)} AS ${quoteName(`${name}()`)})` : undefined;
}

/** Puts a common table expression in front of the statement for each table that it uses. */
function withTables(
  sql: string,
  tokens: readonly Token[],
  usedTables: ReadonlySet<string>,
): string {
  if (usedTables.size === 0) return sql;
  const tables = Array.from(
    usedTables,
    (name) => `${quoteName(name)} AS (${SYSTEM_TABLES.get(name) ?? ''})`,
  ).join(', ');
  const [first, second] = tokens;
  if (keyword(first) !== 'with') return `WITH ${tables} ${sql}`;
  // WITH is the first word of the statement. No replacement is before WITH, so these positions are still correct.
  const start = (keyword(second) === 'recursive' ? second : first)?.end ?? 0;
  return `${sql.slice(0, start)} ${tables}, ${sql.slice(start)}`;
}
