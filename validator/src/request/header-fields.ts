import { VALIDATE } from '@guard/config/contract/limits';

export type HeaderFields = Readonly<Record<string, string>>;

export type ReadHeaders =
  | { readonly kind: 'headers'; readonly headers: HeaderFields }
  | { readonly kind: 'error'; readonly message: string };

const NOT_A_MAP = '`headers` must be an object of strings.';
/** No HTTP parser lets these into a field (RFC 9110 5.5), so whoever describes one made it up. */
const NEVER_IN_A_FIELD = /[\0\r\n]/;

/**
 * The `headers` of a described request (spec 2.1) as a map without a prototype: a field may be called
 * `constructor`. Names are folded as {@link foldNames} does. A name may be anything that is printable,
 * because callers also pass `:authority` and its kin; half a surrogate pair in a value, which no byte
 * sequence can mean, becomes U+FFFD. No message repeats what was sent.
 */
export function readHeaders(value: unknown): ReadHeaders {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'error', message: NOT_A_MAP };
  }
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  if (entries.length > VALIDATE.maxHeaders) {
    return { kind: 'error', message: `\`headers\` holds more than ${VALIDATE.maxHeaders} fields.` };
  }
  const headers = emptyMap();
  let length = 0;
  for (const [name, text] of entries) {
    if (typeof text !== 'string') return { kind: 'error', message: NOT_A_MAP };
    length += name.length + text.length;
    const fault =
      faultOf(name, text) ?? (length > VALIDATE.maxHeadersLength ? TOO_MUCH : undefined);
    if (fault !== undefined) return { kind: 'error', message: fault };
    put(headers, name.toLowerCase(), text.toWellFormed());
  }
  return { kind: 'headers', headers };
}

const TOO_MUCH = `\`headers\` is longer than ${VALIDATE.maxHeadersLength} characters.`;
const BAD_NAME = `A name in \`headers\` is empty, longer than ${VALIDATE.maxHeaderNameLength} characters, or holds control characters.`;
const LONG_VALUE = `A value in \`headers\` is longer than ${VALIDATE.maxHeaderValueLength} characters.`;
const BAD_VALUE = 'A value in `headers` holds a line break or NUL.';

function faultOf(name: string, value: string): string | undefined {
  if (name === '' || name.length > VALIDATE.maxHeaderNameLength) return BAD_NAME;
  if (!isPrintable(name) || !name.isWellFormed()) return BAD_NAME;
  if (value.length > VALIDATE.maxHeaderValueLength) return LONG_VALUE;
  return NEVER_IN_A_FIELD.test(value) ? BAD_VALUE : undefined;
}

function isPrintable(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x21 || code === 0x7f) return false;
  }
  return true;
}

/**
 * The same fields with names in lower case. Names that differ only in case are one field sent twice:
 * joined in their order, `cookie` with a semicolon, every other with a comma (RFC 9110 5.3, RFC 9113
 * 8.2.3). Node's own header objects are in lower case already and are used as they are.
 */
export function foldNames(headers: HeaderFields): HeaderFields {
  for (const name in headers) {
    if (name !== name.toLowerCase()) return folded(headers);
  }
  return headers;
}

function folded(headers: HeaderFields): HeaderFields {
  const lower = emptyMap();
  for (const [name, value] of Object.entries(headers)) put(lower, name.toLowerCase(), value);
  return lower;
}

function put(headers: Record<string, string>, name: string, value: string): void {
  const before = headers[name];
  const separator = name === 'cookie' ? '; ' : ', ';
  headers[name] = before === undefined ? value : before + separator + value;
}

function emptyMap(): Record<string, string> {
  // A map without a prototype is a map of strings; Object.create has no such type.
  return Object.create(null) as Record<string, string>;
}
