import { VALIDATE } from '@guard/config/contract/limits';

export type HeaderFields = Readonly<Record<string, string>>;

type ReadHeaders =
  | { readonly kind: 'headers'; readonly headers: HeaderFields }
  | { readonly kind: 'error'; readonly message: string };

const NOT_A_MAP = '`headers` must be an object of strings.';
/** No HTTP parser accepts these characters in a field (RFC 9110 section 5.5), so no real request contained them. */
const NEVER_IN_A_FIELD = /[\0\r\n]/;

/**
 * Reads the `headers` of a question (contract 2.1). The result has no prototype, because a field can have the name
 * `constructor`. All printable characters are allowed in a name, because callers also pass names such as `:authority`.
 * A lone surrogate in a value becomes U+FFFD.
 *
 * Most callers send names in lower case. Then the function returns the object itself and no copy, which also makes
 * look-ups faster.
 */
export function readHeaders(value: unknown): ReadHeaders {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'error', message: NOT_A_MAP };
  }
  // The loop below checks that every value is a string.
  const fields = value as Record<string, string>;
  let count = 0;
  let length = 0;
  let isFolded = true;
  for (const name in fields) {
    const text: unknown = fields[name];
    if (typeof text !== 'string') return { kind: 'error', message: NOT_A_MAP };
    count += 1;
    length += name.length + text.length;
    const fault = faultOf(name, text) ?? excessOf(count, length);
    if (fault !== undefined) return { kind: 'error', message: fault };
    isFolded &&= name === name.toLowerCase() && text.isWellFormed();
  }
  if (!isFolded) return { kind: 'headers', headers: foldNames(fields) };
  Object.setPrototypeOf(fields, null);
  return { kind: 'headers', headers: fields };
}

function excessOf(count: number, length: number): string | undefined {
  if (count > VALIDATE.maxHeaders) return TOO_MANY;
  return length > VALIDATE.maxHeadersLength ? TOO_MUCH : undefined;
}

const TOO_MANY = `\`headers\` holds more than ${VALIDATE.maxHeaders} fields.`;
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
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x21 || code === 0x7f) return false;
  }
  return true;
}

/**
 * A copy of the fields with names in lower case. Names that differ only in case are one field. Its values are joined in
 * their order, with a semicolon for `cookie` and with a comma for all other fields (RFC 9110 section 5.3, RFC 9113
 * section 8.2.3).
 */
function foldNames(headers: HeaderFields): HeaderFields {
  // The type of Object.create is `any`. The new object is empty.
  const lower = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers))
    addField(lower, name.toLowerCase(), value.toWellFormed());
  return lower;
}

function addField(headers: Record<string, string>, name: string, value: string): void {
  const earlierValue = headers[name];
  const separator = name === 'cookie' ? '; ' : ', ';
  headers[name] = earlierValue === undefined ? value : earlierValue + separator + value;
}
