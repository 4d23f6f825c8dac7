/** Characters of the grammar of HTTP/1.1 (RFC 9110 section 5.6.2, RFC 9112 section 2.2). */
const HTAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SP = 0x20;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;

const IS_TOKEN_CHARACTER = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~") IS_TOKEN_CHARACTER[character.charCodeAt(0)] = 1;
for (let code = 0x30; code <= 0x39; code++) IS_TOKEN_CHARACTER[code] = 1;
for (let code = 0x41; code <= 0x5a; code++)
  IS_TOKEN_CHARACTER[code] = IS_TOKEN_CHARACTER[code | 0x20] = 1;

/** Whether a token can have this character (RFC 9110 section 5.6.2, tchar). */
export function isTokenCharacter(code: number): boolean {
  return IS_TOKEN_CHARACTER[code] === 1;
}

/** Whether a field value can have this character (RFC 9110 section 5.5). HTAB is the only allowed control character. */
export function isTextCharacter(code: number): boolean {
  return (code >= SP && code !== 0x7f) || code === HTAB;
}

/** Whether a text is a token (RFC 9110 section 5.6.2). Methods and names of header fields and cookies are tokens. */
export function isToken(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (IS_TOKEN_CHARACTER[text.charCodeAt(i)] !== 1) return false;
  }
  return text !== '';
}

/** Removes the white space of HTTP at both ends. `trim` would also remove other characters, such as U+00A0. */
export function withoutBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

/** The members of a comma-separated list. Most lists have one member, and `includes` is faster than `split`. */
export function members(list: string): string[] {
  return list.includes(',') ? list.split(',') : [list];
}

/** Whether a character is a space or a tab (RFC 9110 section 5.6.3). */
export function isBlank(code: number | undefined): boolean {
  return code === SP || code === HTAB;
}

/** Reads decimal digits. Undefined for other text, and for a number that is too large to be exact. */
export function readDecimal(text: string): number | undefined {
  if (text === '' || text.length > 15) return undefined;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}
