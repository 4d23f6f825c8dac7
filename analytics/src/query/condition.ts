import { isSymbol, lex } from './lexer.ts';

/** Why a text must not be put in parentheses after WHERE: `1) OR (1` would disable the conditions before it. */
export function conditionFault(sql: string): string | undefined {
  const lexed = lex(sql);
  if (lexed.kind === 'refused') return lexed.message;
  if (lexed.tokens.length === 0) return 'The condition is empty.';
  let open = 0;
  for (const token of lexed.tokens) {
    if (isSymbol(token, '(')) open += 1;
    if (isSymbol(token, ')')) open -= 1;
    if (open < 0) return 'The condition closes a parenthesis that it does not open.';
    if (isSymbol(token, ';')) return 'The condition has a semicolon.';
  }
  return open === 0 ? undefined : 'The condition opens a parenthesis that it does not close.';
}
