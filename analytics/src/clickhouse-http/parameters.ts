import { QUERY } from '@guard/config/contract/limits';
import { quoteText } from '../database/schema.ts';
import { replace } from '../query/adapt.ts';
import { identifier, isSymbol, lex, type Token } from '../query/lexer.ts';

export type Filled =
  | { readonly kind: 'filled'; readonly sql: string }
  | { readonly kind: 'refused'; readonly message: string };

/** ClickHouse reads values of these types unchanged. In values of all other types it first replaces escapes. */
const COMPOSITE = /^(?:Array|Tuple|Map|Nested|Variant|JSON)\b/;

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ b: '\b', f: '\f', r: '\r', n: '\n', t: '\t', 0: '\0' },
};

const TOO_LONG = `With the values of its parameters the statement has more than ${QUERY.maxStatementChars} characters.`;

/**
 * Replaces each `{name:Type}` by the value of the parameter `param_name`. The value becomes a literal that
 * the database converts, so neither the value nor the type can be read as SQL. The gate then checks the
 * result like any other statement.
 */
export function fillIn(sql: string, values: ReadonlyMap<string, string>): Filled {
  const lexed = lex(sql);
  if (lexed.kind === 'refused') return lexed;
  const { tokens } = lexed;
  const changes: { at: number; end: number; by: string }[] = [];
  let length = sql.length;
  for (const [at, token] of tokens.entries()) {
    if (!isSymbol(token, '{')) continue;
    const close = closingBrace(tokens, at);
    const name = identifier(tokens[at + 1]);
    if (close === undefined || name === undefined || !isSymbol(tokens[at + 2], ':')) {
      return refuse('A parameter is written as {name:Type}.');
    }
    const type = sql.slice(tokens[at + 2]?.end, close.at).trim();
    const value = values.get(name);
    if (value === undefined) return refuse(`The parameter ${name} has no value: param_${name}.`);
    if (type === 'Identifier')
      return refuse('A name cannot be a parameter. Write the name itself.');
    const by = literal(value, type);
    length += by.length - (close.end - token.at);
    if (length > QUERY.maxStatementChars) return refuse(TOO_LONG);
    changes.push({ at: token.at, end: close.end, by });
  }
  return { kind: 'filled', sql: replace(sql, changes) };
}

/** Finds the brace that closes a parameter. A type has no braces, so one pass is enough. */
function closingBrace(tokens: readonly Token[], open: number): Token | undefined {
  let at = open + 1;
  while (at < tokens.length && !isSymbol(tokens[at], '{') && !isSymbol(tokens[at], '}')) at += 1;
  return isSymbol(tokens[at], '}') ? tokens[at] : undefined;
}

function literal(value: string, type: string): string {
  if (value === '\\N') return `CAST(NULL, ${quoteText(type)})`;
  const text = COMPOSITE.test(type)
    ? value
    : value.replaceAll(/\\(.)/gs, (_whole, char: string) => ESCAPES[char] ?? char);
  return type === 'String' ? quoteText(text) : `CAST(${quoteText(text)}, ${quoteText(type)})`;
}

function refuse(message: string): Filled {
  return { kind: 'refused', message };
}
