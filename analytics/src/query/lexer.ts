import type { Token } from './token.ts';

export type Lexed =
  | { readonly kind: 'tokens'; readonly tokens: readonly Token[] }
  | { readonly kind: 'refused'; readonly message: string };

/** One step: what was read (nothing for white space and comments) and where the next one begins. */
type Step =
  | { readonly kind: 'read'; readonly next: number; readonly token?: Token }
  | { readonly kind: 'refused'; readonly message: string };

const SYMBOLS = new Set('()[]{},;.:+-*/%=<>!|?~^&');
const SPACE = new Set(' \t\n\r\f\v');

/**
 * Splits a statement into tokens by the rules of ClickHouse's own lexer, as far as it accepts it at
 * all. Wherever the two could read a text differently, this one refuses: what the gate has judged
 * must be what the database runs.
 */
export function lex(sql: string): Lexed {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length;) {
    const step = readToken(sql, at);
    if (step.kind === 'refused') return step;
    if (step.token !== undefined) tokens.push(step.token);
    at = step.next;
  }
  return { kind: 'tokens', tokens };
}

function readToken(sql: string, at: number): Step {
  const char = sql.charAt(at);
  const comment = commentEnd(sql, at);
  if (comment !== undefined) return comment;
  if (SPACE.has(char)) return { kind: 'read', next: at + 1 };
  if (char === "'") return readString(sql, at);
  if (char === '`' || char === '"') return readQuoted(sql, at, char);
  if (char === '$') return readHeredoc(sql, at);
  if (isDigit(char)) return { kind: 'read', next: numberEnd(sql, at), token: { kind: 'number' } };
  if (isWordStart(char)) {
    let next = at + 1;
    while (isWordPart(sql.charAt(next))) next += 1;
    return { kind: 'read', next, token: { kind: 'word', name: sql.slice(at, next) } };
  }
  if (SYMBOLS.has(char))
    return { kind: 'read', next: at + 1, token: { kind: 'symbol', name: char } };
  return refuse(`The character U+${codePoint(sql, at)} is only allowed inside quotes.`);
}

/** Comments: `-- …`, `# …`, `#! …` to the end of the line, and a block that does not nest. */
function commentEnd(sql: string, at: number): Step | undefined {
  const two = sql.slice(at, at + 2);
  if (two === '--' || two === '# ' || two === '#!') {
    const end = sql.indexOf('\n', at);
    return { kind: 'read', next: end === -1 ? sql.length : end + 1 };
  }
  if (two !== '/*') return undefined;
  const end = sql.indexOf('*/', at + 2);
  return end === -1 ? refuse('A comment is not closed.') : { kind: 'read', next: end + 2 };
}

function readString(sql: string, at: number): Step {
  for (let next = at + 1; next < sql.length; next += 1) {
    const char = sql.charAt(next);
    if (char === '\\') next += 1;
    else if (char !== "'") continue;
    else if (sql.charAt(next + 1) === "'") next += 1;
    else return { kind: 'read', next: next + 1, token: { kind: 'string' } };
  }
  return refuse('A string is not closed.');
}

/** Escapes could hide a name from the gate, and no column or alias needs one: they are refused. */
function readQuoted(sql: string, at: number, quote: string): Step {
  const end = sql.indexOf(quote, at + 1);
  if (end === -1) return refuse('A quoted identifier is not closed.');
  const name = sql.slice(at + 1, end);
  if (name === '' || name.includes('\\') || sql.charAt(end + 1) === quote) {
    return refuse('Escapes in quoted identifiers, and empty ones, are not supported.');
  }
  return { kind: 'read', next: end + 1, token: { kind: 'quoted', name } };
}

/** `$tag$ … $tag$` */
function readHeredoc(sql: string, at: number): Step {
  let end = at + 1;
  while (isWordStart(sql.charAt(end)) || isDigit(sql.charAt(end))) end += 1;
  if (sql.charAt(end) !== '$') return refuse('The character $ is not supported here.');
  const tag = sql.slice(at, end + 1);
  const close = sql.indexOf(tag, end + 1);
  if (close === -1) return refuse('A $-quoted string is not closed.');
  return { kind: 'read', next: close + tag.length, token: { kind: 'string' } };
}

/** Ends early rather than late: what follows is then judged as a token of its own. */
function numberEnd(sql: string, at: number): number {
  let next = at + 1;
  for (;;) {
    const char = sql.charAt(next);
    const following = sql.charAt(next + 1);
    const exponentSign = /[eEpP]/.test(sql.charAt(next - 1)) && (char === '-' || char === '+');
    if (isWordPart(char)) next += 1;
    else if ((char === '.' || exponentSign) && isDigit(following)) next += 2;
    else return next;
  }
}

function refuse(message: string): Step {
  return { kind: 'refused', message };
}

function codePoint(sql: string, at: number): string {
  return (sql.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

function isWordStart(char: string): boolean {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || char === '_';
}

function isWordPart(char: string): boolean {
  return isWordStart(char) || isDigit(char) || char === '$';
}
