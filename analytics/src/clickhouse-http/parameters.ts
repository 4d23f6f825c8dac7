import { QUERY } from '@guard/config/contract/limits';
import { quoteText } from '../database/schema.ts';
import { replace } from '../query/adapt.ts';
import { identifier, isSymbol, lex, type Token } from '../query/lexer.ts';

type FilledStatement =
  | { readonly kind: 'filled'; readonly sql: string }
  | { readonly kind: 'refused'; readonly message: string };

/** ClickHouse reads values of these types unchanged. In values of other types ClickHouse first replaces escapes. */
const COMPOSITE_TYPE = /^(?:Array|Tuple|Map|Nested|Variant|JSON)\b/;

const CHARACTER_BY_ESCAPE: Readonly<Record<string, string>> = {
  ...{ b: '\b', f: '\f', r: '\r', n: '\n', t: '\t', 0: '\0' },
};

const TOO_LONG = `With the values of its parameters the statement has more than ${QUERY.maxStatementChars} characters.`;

/**
 * Replaces each `{name:Type}` by the value of the parameter `param_name`. The value becomes a literal that the database
 * converts, so neither the value nor the type can be read as SQL.
 */
export function fillIn(sql: string, values: ReadonlyMap<string, string>): FilledStatement {
  const lexResult = lex(sql);
  if (lexResult.kind === 'refused') return lexResult;
  const { tokens } = lexResult;
  const changes: { at: number; end: number; replacement: string }[] = [];
  let length = sql.length;
  for (const [tokenIndex, token] of tokens.entries()) {
    if (!isSymbol(token, '{')) continue;
    const close = closingBrace(tokens, tokenIndex);
    const name = identifier(tokens[tokenIndex + 1]);
    if (close === undefined || name === undefined || !isSymbol(tokens[tokenIndex + 2], ':')) {
      return refuse('A parameter is written as {name:Type}.');
    }
    const type = sql.slice(tokens[tokenIndex + 2]?.end, close.at).trim();
    const value = values.get(name);
    if (value === undefined) return refuse(`The parameter ${name} has no value: param_${name}.`);
    if (type === 'Identifier')
      return refuse('A name cannot be a parameter. Write the name itself.');
    const replacement = literalOf(value, type);
    length += replacement.length - (close.end - token.at);
    if (length > QUERY.maxStatementChars) return refuse(TOO_LONG);
    changes.push({ at: token.at, end: close.end, replacement });
  }
  return { kind: 'filled', sql: replace(sql, changes) };
}

/** Finds the brace that closes a parameter. The type of a parameter has no braces, so one pass is enough. */
function closingBrace(tokens: readonly Token[], openIndex: number): Token | undefined {
  let tokenIndex = openIndex + 1;
  while (
    tokenIndex < tokens.length &&
    !isSymbol(tokens[tokenIndex], '{') &&
    !isSymbol(tokens[tokenIndex], '}')
  )
    tokenIndex += 1;
  return isSymbol(tokens[tokenIndex], '}') ? tokens[tokenIndex] : undefined;
}

function literalOf(value: string, type: string): string {
  if (value === '\\N') return `CAST(NULL, ${quoteText(type)})`;
  const plainText = COMPOSITE_TYPE.test(type)
    ? value
    : value.replaceAll(/\\(.)/gs, (_whole, char: string) => CHARACTER_BY_ESCAPE[char] ?? char);
  return type === 'String'
    ? quoteText(plainText)
    : `CAST(${quoteText(plainText)}, ${quoteText(type)})`;
}

function refuse(message: string): FilledStatement {
  return { kind: 'refused', message };
}
