import type { SampledContent } from '../open-body.ts';
import type { SecretNames } from './secret-names.ts';

/**
 * Replaces the values of secret fields in the beginning of a body, which may end anywhere. JSON is recognised by
 * its first character and not by its declared type, because many programs send JSON as text or as a form.
 */
export function maskSecrets(text: string, content: SampledContent, names: SecretNames): string {
  if (/^\s*[{[]/.test(text)) return new JsonMask(text, names).masked();
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
  if (!names.mayName(decoded(pair))) return pair;
  const equals = pair.indexOf('=');
  if (equals === -1) return names.firstIn(decoded(pair)) === -1 ? pair : MASK;
  const sentName = pair.slice(0, equals);
  const name = decoded(sentName);
  if (names.isSecret(name)) return isShownName(name) ? `${sentName}=${MASK}` : MASK;
  // A value can hold a form or JSON of its own.
  const value = decoded(pair.slice(equals + 1));
  return names.firstIn(value) === -1 ? pair : `${sentName}=${MASK}`;
}

/** Characters that are not a whole escape stay as they are, such as half an escape at the end of a sample. */
function decoded(text: string): string {
  if (!/[+%]/.test(text)) return text;
  return text.replaceAll('+', ' ').replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    return Buffer.from(run.replaceAll('%', ''), 'hex').toString();
  });
}

/** Takes the place of a secret. */
const MASK = '***';

/** Free text does not show where a value ends. So the text from the first secret name on is left out. */
function maskText(text: string, names: SecretNames): string {
  const at = names.firstIn(text);
  return at === -1 ? text : text.slice(0, at) + MASK;
}

/** Whether a secret's name looks like an ordinary name. A longer text could hold a secret itself. */
function isShownName(name: string): boolean {
  return /^[\p{L}\p{N}_.$[\]-]{1,64}$/u.test(name);
}

const SPACE = /[ \t\r\n]*/y;
/** A string up to its closing quote, or up to the end of the text. */
const STRING = /"(?:[^"\\]+|\\[^])*"?/y;
const PRIMITIVE = /(?:true|false|null|-?\d[\d.eE+-]*)(?=[ \t\r\n,}\]]|$)/y;
const QUOTED_MASK = `"${MASK}"`;
/** No real body is nested deeper, and the stack has room for this depth. */
const MAX_DEPTH = 100;

/**
 * Reads JSON by its grammar (RFC 8259) and writes what it read. A method returns false when the grammar does not match: at the
 * end of the sample, or because the text is not JSON.
 */
class JsonMask {
  readonly #text: string;
  readonly #names: SecretNames;
  #at = 0;
  #depth = 0;
  #written = '';
  /** True inside the value of a secret field. */
  #hidden = false;
  /** True once a secret name was read. Only the grammar shows where its value ends. */
  #met = false;

  constructor(text: string, names: SecretNames) {
    this.#text = text;
    this.#names = names;
  }

  masked(): string {
    this.#value();
    if (this.#met) return this.#written;
    return this.#written + maskText(this.#text.slice(this.#at), this.#names);
  }

  #value(): boolean {
    this.#take(SPACE);
    switch (this.#text.charAt(this.#at)) {
      case '{':
        return this.#list('}', () => this.#member());
      case '[':
        return this.#list(']', () => this.#value());
      case '"':
        return this.#string();
      default:
        return this.#take(PRIMITIVE) !== '';
    }
  }

  #list(close: string, item: () => boolean): boolean {
    if (this.#depth === MAX_DEPTH) return false;
    this.#depth++;
    this.#mark();
    this.#take(SPACE);
    let more = this.#text[this.#at] !== close;
    while (more) {
      if (!item()) return false;
      this.#take(SPACE);
      more = this.#text[this.#at] === ',';
      if (more) this.#mark();
    }
    if (this.#text[this.#at] !== close) return false;
    this.#mark();
    this.#depth--;
    return true;
  }

  #member(): boolean {
    this.#take(SPACE);
    const quoted = this.#read(STRING);
    const name = unescaped(quoted);
    const isSecret = this.#names.mayName(name) && this.#names.isSecret(name);
    this.#met ||= isSecret;
    this.#write(isSecret && !isShownName(name) ? QUOTED_MASK : quoted);
    this.#take(SPACE);
    if (!isWhole(quoted) || this.#text[this.#at] !== ':') return false;
    this.#mark();
    return isSecret && !this.#hidden ? this.#secret() : this.#value();
  }

  #secret(): boolean {
    this.#take(SPACE);
    this.#write(QUOTED_MASK);
    this.#hidden = true;
    if (!this.#value()) return false;
    this.#take(SPACE);
    // Only these characters end a value. With any other character the value may go on.
    if (!/[,}]/.test(this.#text[this.#at] ?? '')) return false;
    this.#hidden = false;
    return true;
  }

  /** A value can hold a form or JSON of its own. */
  #string(): boolean {
    const quoted = this.#read(STRING);
    const isSecret = this.#names.firstIn(unescaped(quoted)) !== -1;
    this.#met ||= isSecret;
    this.#write(isSecret ? QUOTED_MASK : quoted);
    return isWhole(quoted);
  }

  /** One character of punctuation. */
  #mark(): void {
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
    if (!this.#hidden) this.#written += token;
  }
}

function isWhole(quoted: string): boolean {
  return quoted.length > 1 && quoted.endsWith('"');
}

/** The text of a string, without quotes and escapes. */
function unescaped(quoted: string): string {
  const inside = quoted.slice(1, isWhole(quoted) ? -1 : undefined);
  if (!inside.includes('\\')) return inside;
  return inside.replaceAll(/\\(?:u([0-9a-f]{4})|([^]))/gi, (_escape, hex?: string, plain = '') =>
    hex === undefined ? String(plain) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
