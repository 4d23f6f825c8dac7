import { isSymbol, lex } from './lexer.ts';

/** Returns why a text must not be put in parentheses after WHERE: `1) OR (1` would disable the conditions before it. */
export function conditionFault(sql: string): string | undefined {
  const lexResult = lex(sql);
  if (lexResult.kind === 'refused') return lexResult.message;
  if (lexResult.tokens.length === 0) return 'The condition is empty.';
  let openCount = 0;
  for (const token of lexResult.tokens) {
    if (isSymbol(token, '(')) openCount += 1;
    if (isSymbol(token, ')')) openCount -= 1;
    if (openCount < 0) return 'The condition closes a parenthesis that it does not open.';
    if (isSymbol(token, ';')) return 'The condition has a semicolon.';
  }
  return openCount === 0 ? undefined : 'The condition opens a parenthesis that it does not close.';
}
