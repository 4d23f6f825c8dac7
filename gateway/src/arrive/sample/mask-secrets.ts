import type { SecretNames } from './secret-names.ts';

/** How the sample of a body is read. */
export type SampledContent = 'form' | 'text';

/**
 * Replaces the values of secret fields in the beginning of a body, which may end anywhere. JSON is recognised by
 * its first character and not by its declared type, because many programs send JSON as text or as a form.
 */
export function maskSecrets(text: string, content: SampledContent, names: SecretNames): string {
  if (/^\s*[{[]/.test(text)) return new JsonMask(text, names).mask();
  return content === 'form' ? maskForm(text, names) : maskText(text, names);
}

/** Masks the pairs of `application/x-www-form-urlencoded`. Other pairs stay as they were sent. */
function maskForm(text: string, names: SecretNames): string {
  return text
    .split('&')
    .map((pair) => maskPair(pair, names))
    .join('&');
}

function maskPair(pair: string, names: SecretNames): string {
  if (!names.mayContainSecret(decode(pair))) return pair;
  const equals = pair.indexOf('=');
  if (equals === -1) return names.findFirst(decode(pair)) === -1 ? pair : MASK;
  const sentName = pair.slice(0, equals);
  const name = decode(sentName);
  if (names.isSecret(name)) return isShownName(name) ? `${sentName}=${MASK}` : MASK;
  // A value can contain a form or JSON.
  const value = decode(pair.slice(equals + 1));
  return names.findFirst(value) === -1 ? pair : `${sentName}=${MASK}`;
}

/** Decodes percent escapes. An incomplete escape stays as it is: the end of a sample can cut an escape. */
function decode(text: string): string {
  if (!/[+%]/.test(text)) return text;
  return text.replaceAll('+', ' ').replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    return Buffer.from(run.replaceAll('%', ''), 'hex').toString();
  });
}

const MASK = '***';

/** Free text does not show where a value ends. So the text from the first secret name on is left out. */
function maskText(text: string, names: SecretNames): string {
  const at = names.findFirst(text);
  return at === -1 ? text : text.slice(0, at) + MASK;
}

/** Whether a secret's name looks like an ordinary name. A longer text could contain a secret itself. */
function isShownName(name: string): boolean {
  return /^[\p{L}\p{N}_.$[\]-]{1,64}$/u.test(name);
}

const SPACE_PATTERN = /[ \t\r\n]*/y;
/** A string up to its closing quote, or up to the end of the text. */
const STRING_PATTERN = /"(?:[^"\\]+|\\[^])*"?/y;
const PRIMITIVE_PATTERN = /(?:true|false|null|-?\d[\d.eE+-]*)(?=[ \t\r\n,}\]]|$)/y;
const QUOTED_MASK = `"${MASK}"`;
/** No real body is nested deeper, and the stack has room for this depth. */
const MAX_DEPTH = 100;

/**
 * Reads JSON by its grammar (RFC 8259) and writes what it read. A method returns false when the grammar does not match:
 * at the end of the sample, or because the text is not JSON.
 */
class JsonMask {
  readonly #text: string;
  readonly #names: SecretNames;
  #at = 0;
  #depth = 0;
  #output = '';
  /** True inside the value of a secret field. */
  #isHidden = false;
  /** True once a secret name was read. Only the grammar shows where its value ends. */
  #hasSecret = false;

  constructor(text: string, names: SecretNames) {
    this.#text = text;
    this.#names = names;
  }

  mask(): string {
    this.#takeValue();
    if (this.#hasSecret) return this.#output;
    return this.#output + maskText(this.#text.slice(this.#at), this.#names);
  }

  #takeValue(): boolean {
    this.#take(SPACE_PATTERN);
    switch (this.#text.charAt(this.#at)) {
      case '{':
        return this.#takeList('}', () => this.#takeMember());
      case '[':
        return this.#takeList(']', () => this.#takeValue());
      case '"':
        return this.#takeString();
      default:
        return this.#take(PRIMITIVE_PATTERN) !== '';
    }
  }

  #takeList(close: string, item: () => boolean): boolean {
    if (this.#depth === MAX_DEPTH) return false;
    this.#depth++;
    this.#takePunctuation();
    this.#take(SPACE_PATTERN);
    let hasMore = this.#text[this.#at] !== close;
    while (hasMore) {
      if (!item()) return false;
      this.#take(SPACE_PATTERN);
      hasMore = this.#text[this.#at] === ',';
      if (hasMore) this.#takePunctuation();
    }
    if (this.#text[this.#at] !== close) return false;
    this.#takePunctuation();
    this.#depth--;
    return true;
  }

  #takeMember(): boolean {
    this.#take(SPACE_PATTERN);
    const literal = this.#read(STRING_PATTERN);
    const name = unquote(literal);
    const isSecret = this.#names.mayContainSecret(name) && this.#names.isSecret(name);
    this.#hasSecret ||= isSecret;
    this.#write(isSecret && !isShownName(name) ? QUOTED_MASK : literal);
    this.#take(SPACE_PATTERN);
    if (!isWhole(literal) || this.#text[this.#at] !== ':') return false;
    this.#takePunctuation();
    return isSecret && !this.#isHidden ? this.#takeSecret() : this.#takeValue();
  }

  #takeSecret(): boolean {
    this.#take(SPACE_PATTERN);
    this.#write(QUOTED_MASK);
    this.#isHidden = true;
    if (!this.#takeValue()) return false;
    this.#take(SPACE_PATTERN);
    // Only these characters end a value. With any other character the value may go on.
    if (!/[,}]/.test(this.#text[this.#at] ?? '')) return false;
    this.#isHidden = false;
    return true;
  }

  /** Takes a string. Its value is masked too, because it can contain a form or JSON. */
  #takeString(): boolean {
    const literal = this.#read(STRING_PATTERN);
    const isSecret = this.#names.findFirst(unquote(literal)) !== -1;
    this.#hasSecret ||= isSecret;
    this.#write(isSecret ? QUOTED_MASK : literal);
    return isWhole(literal);
  }

  #takePunctuation(): void {
    this.#write(this.#text[this.#at] ?? '');
    this.#at++;
  }

  #take(pattern: RegExp): string {
    const token = this.#read(pattern);
    this.#write(token);
    return token;
  }

  #read(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += token.length;
    return token;
  }

  #write(token: string): void {
    if (!this.#isHidden) this.#output += token;
  }
}

function isWhole(literal: string): boolean {
  return literal.length > 1 && literal.endsWith('"');
}

/** The text of a string, without quotes and escapes. */
function unquote(literal: string): string {
  const inside = literal.slice(1, isWhole(literal) ? -1 : undefined);
  if (!inside.includes('\\')) return inside;
  return inside.replaceAll(/\\(?:u([0-9a-f]{4})|([^]))/gi, (_escape, hex?: string, plain = '') =>
    hex === undefined ? String(plain) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
