/**
 * A token of a statement. `at` is the index of its first character, and `end` is the index after its last character.
 */
export type Token = Lexeme & { readonly at: number; readonly end: number };

type Lexeme =
  | { readonly kind: 'word'; readonly name: string }
  /** An identifier in backticks or double quotes. */
  | { readonly kind: 'quoted'; readonly name: string }
  | { readonly kind: 'string' }
  | { readonly kind: 'number' }
  /** One character of punctuation. */
  | { readonly kind: 'symbol'; readonly name: string };

type LexResult =
  | { readonly kind: 'tokens'; readonly tokens: readonly Token[] }
  | { readonly kind: 'refused'; readonly message: string };

/** One step of the lexer: the token, or no token after white space or a comment, and the start of the next step. */
type Step =
  | { readonly kind: 'read'; readonly next: number; readonly token?: Lexeme }
  | { readonly kind: 'refused'; readonly message: string };

const SYMBOLS = new Set('()[]{},;.:+-*/%=<>!|?~^&');
const SPACES = new Set(' \t\n\r\f\v');

/**
 * Splits a statement into tokens by the rules of ClickHouse's lexer. Refuses each text that this lexer and the database
 * could split differently. The database must run exactly the statement that the gate has judged.
 */
export function lex(sql: string): LexResult {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length;) {
    const step = readToken(sql, at, tokens.at(-1));
    if (step.kind === 'refused') return step;
    if (step.token !== undefined) tokens.push({ ...step.token, at, end: step.next });
    at = step.next;
  }
  return { kind: 'tokens', tokens };
}

function readToken(sql: string, at: number, previous: Token | undefined): Step {
  const char = sql.charAt(at);
  const comment = commentEnd(sql, at);
  if (comment !== undefined) return comment;
  if (SPACES.has(char)) return { kind: 'read', next: at + 1 };
  if (char === "'") return readString(sql, at);
  if (char === '`' || char === '"') return readQuoted(sql, at, char);
  if (char === '$') return readHeredoc(sql, at);
  if (isCodedString(char) && sql.charAt(at + 1) === "'") return readCodedString(sql, at);
  if (isDigit(char)) return readNumber(sql, at, isSymbol(previous, '.'));
  if (isWordStart(char)) {
    const next = runEnd(sql, at + 1, isWordPart);
    return { kind: 'read', next, token: { kind: 'word', name: sql.slice(at, next) } };
  }
  if (SYMBOLS.has(char))
    return { kind: 'read', next: at + 1, token: { kind: 'symbol', name: char } };
  return refuse(
    `The character U+${codePoint(sql, at)} at position ${at + 1} is only allowed inside quotes.`,
  );
}

/**
 * Comments are `-- …`, `// …`, `# …` and `#! …` to the end of the line, and blocks. Only some versions of the database
 * accept a block inside a block, so the gate refuses it. `//` begins a comment in some versions only. In the other
 * versions two slashes are always a syntax error.
 */
function commentEnd(sql: string, at: number): Step | undefined {
  const twoChars = sql.slice(at, at + 2);
  if (twoChars === '--' || twoChars === '//' || twoChars === '# ' || twoChars === '#!') {
    const end = sql.indexOf('\n', at);
    return { kind: 'read', next: end === -1 ? sql.length : end + 1 };
  }
  if (twoChars !== '/*') return undefined;
  const end = sql.indexOf('*/', at + 2);
  if (end === -1) return refuse('A comment is not closed.');
  const inner = sql.indexOf('/*', at + 2);
  if (inner !== -1 && inner < end) return refuse('A comment inside a comment is not supported.');
  return { kind: 'read', next: end + 2 };
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

/** Reads `x'4142'` and `b'0101'`. These strings have no escapes. */
function readCodedString(sql: string, at: number): Step {
  const end = runEnd(sql, at + 2, isHexDigit);
  if (sql.charAt(end) !== "'")
    return refuse('A string of binary or hexadecimal digits has another character.');
  return { kind: 'read', next: end + 1, token: { kind: 'string' } };
}

/**
 * Reads a quoted identifier. Refuses escapes, because they could hide a name from the gate. No column or alias needs
 * escapes.
 */
function readQuoted(sql: string, at: number, quote: string): Step {
  const end = sql.indexOf(quote, at + 1);
  if (end === -1) return refuse('A quoted identifier is not closed.');
  const name = sql.slice(at + 1, end);
  if (name === '' || name.includes('\\') || sql.charAt(end + 1) === quote) {
    return refuse('Escapes in quoted identifiers, and empty ones, are not supported.');
  }
  return { kind: 'read', next: end + 1, token: { kind: 'quoted', name } };
}

/** Reads `$tag$ … $tag$`. */
function readHeredoc(sql: string, at: number): Step {
  const end = runEnd(sql, at + 1, (char) => isWordStart(char) || isDigit(char));
  if (sql.charAt(end) !== '$') return refuse('The character $ is not supported here.');
  const tag = sql.slice(at, end + 1);
  const close = sql.indexOf(tag, end + 1);
  if (close === -1) return refuse('A $-quoted string is not closed.');
  return { kind: 'read', next: close + tag.length, token: { kind: 'string' } };
}

/**
 * Reads a number. Refuses a letter after it, because then the tokens are not certain: the database reads `1file`, `0x`,
 * `1$a$` and `t.1file` as names, strings or two tokens, and `1.e5` as one token. After a dot it reads only digits, so
 * `t.1.2` has two elements.
 */
function readNumber(sql: string, at: number, isAfterDot: boolean): Step {
  const next = isAfterDot ? runEnd(sql, at, isDigit) : numberEnd(sql, at);
  const isLongFraction =
    !isAfterDot && sql.charAt(next) === '.' && isWordPart(sql.charAt(next + 1));
  if (isLongFraction || isWordPart(sql.charAt(next)))
    return refuse('A number is followed by letters.');
  return { kind: 'read', next, token: { kind: 'number' } };
}

function numberEnd(sql: string, at: number): number {
  const radix = sql.slice(at, at + 2).toLowerCase();
  if (radix === '0x' || radix === '0b') {
    const end = runEnd(sql, at + 2, radix === '0x' ? isHexDigit : isBinaryDigit);
    return end > at + 2 ? end : at + 1;
  }
  let next = runEnd(sql, at, isDigit);
  while (sql.charAt(next) === '_' && isDigit(sql.charAt(next + 1))) {
    next = runEnd(sql, next + 1, isDigit);
  }
  if (sql.charAt(next) === '.' && isDigit(sql.charAt(next + 1))) {
    next = runEnd(sql, next + 1, isDigit);
  }
  if (sql.charAt(next).toLowerCase() !== 'e') return next;
  const sign = sql.charAt(next + 1);
  const digitsStart = next + (sign === '-' || sign === '+' ? 2 : 1);
  return isDigit(sql.charAt(digitsStart)) ? runEnd(sql, digitsStart, isDigit) : next;
}

function runEnd(sql: string, at: number, isInRun: (char: string) => boolean): number {
  let next = at;
  while (isInRun(sql.charAt(next))) next += 1;
  return next;
}

function refuse(message: string): Step {
  return { kind: 'refused', message };
}

function codePoint(sql: string, at: number): string {
  return (sql.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** In this function and the following ones, `token` is undefined at the end of the statement. */
export function isSymbol(token: Token | undefined, name: string): boolean {
  return token?.kind === 'symbol' && token.name === name;
}

/** The text of a word without quotes, in lower case. Empty for any other token. */
export function keyword(token: Token | undefined): string {
  return token?.kind === 'word' ? token.name.toLowerCase() : '';
}

/** The name of an identifier with or without quotes, in unchanged case. */
export function identifier(token: Token | undefined): string | undefined {
  return token?.kind === 'word' || token?.kind === 'quoted' ? token.name : undefined;
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

function isCodedString(prefix: string): boolean {
  return prefix === 'x' || prefix === 'X' || prefix === 'b' || prefix === 'B';
}

function isBinaryDigit(char: string): boolean {
  return char === '0' || char === '1';
}

function isHexDigit(char: string): boolean {
  return isDigit(char) || (char >= 'a' && char <= 'f') || (char >= 'A' && char <= 'F');
}

function isWordStart(char: string): boolean {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || char === '_';
}

function isWordPart(char: string): boolean {
  return isWordStart(char) || isDigit(char) || char === '$';
}
