/**
 * A parser for the Structured Fields (RFC 9651) that signatures need: dictionaries of items and inner lists. It returns
 * undefined for malformed text. Decimals, dates and display strings are refused, because no signature parameter has
 * these types.
 */

type BareItem =
  | { readonly kind: 'integer'; readonly value: number }
  | { readonly kind: 'string' | 'token'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Buffer }
  | { readonly kind: 'boolean'; readonly value: boolean };

type Parameters = ReadonlyMap<string, BareItem>;

export interface Item {
  readonly kind: 'item';
  readonly value: BareItem;
  readonly parameters: Parameters;
}

export interface InnerList {
  readonly kind: 'list';
  readonly items: readonly Item[];
  readonly parameters: Parameters;
}

export type Member = Item | InnerList;

/** Longest allowed field, in UTF-16 code units. */
const MAX_FIELD_LENGTH = 8_192;
/** Maximum number of members of a dictionary, of items of a list, and of parameters of an item. */
const MAX_ENTRIES = 64;

const KEY = /[a-z*][a-z0-9_.*-]*/y;
const INTEGER = /-?\d{1,15}(?![\d.])/y;
const STRING = /"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y;
const TOKEN = /[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*/y;
const BYTES = /:([A-Za-z0-9+/]*={0,2}):/y;
const BOOLEAN = /\?([01])/y;
const SPACES = / */y;
const COMMA = /[ \t]*,[ \t]*/y;
const END = /[ \t]*$/y;

/** Parses a dictionary (RFC 9651 section 4.2.2). When a name occurs twice, the last value is used. */
export function parseDictionary(text: string): ReadonlyMap<string, Member> | undefined {
  if (text.length > MAX_FIELD_LENGTH) return undefined;
  const cursor = new Cursor(text);
  const members = new Map<string, Member>();
  cursor.take(SPACES);
  while (members.size < MAX_ENTRIES) {
    const name = cursor.take(KEY)?.[0];
    const member = name === undefined ? undefined : parseMember(cursor);
    if (name === undefined || member === undefined) return undefined;
    // The position of a repeated name is that of its last value.
    members.delete(name);
    members.set(name, member);
    if (cursor.take(END) !== undefined) return members;
    if (cursor.take(COMMA) === undefined) return undefined;
  }
  return undefined;
}

/** Parses a field that is one item (RFC 9651 section 4.2.3). */
export function parseItemField(text: string): Item | undefined {
  if (text.length > MAX_FIELD_LENGTH) return undefined;
  const cursor = new Cursor(text);
  cursor.take(SPACES);
  const item = parseItem(cursor);
  return item && cursor.take(END) !== undefined ? item : undefined;
}

function parseMember(cursor: Cursor): Member | undefined {
  if (cursor.takeText('='))
    return cursor.takeText('(') ? parseInnerList(cursor) : parseItem(cursor);
  const parameters = parseParameters(cursor);
  return parameters && { kind: 'item', value: { kind: 'boolean', value: true }, parameters };
}

function parseInnerList(cursor: Cursor): InnerList | undefined {
  const items: Item[] = [];
  let isSeparated = true;
  while (items.length <= MAX_ENTRIES) {
    isSeparated = cursor.take(SPACES)?.[0] !== '' || isSeparated;
    if (cursor.takeText(')')) {
      const parameters = parseParameters(cursor);
      return parameters && { kind: 'list', items, parameters };
    }
    const item = isSeparated ? parseItem(cursor) : undefined;
    if (item === undefined) return undefined;
    items.push(item);
    isSeparated = false;
  }
  return undefined;
}

function parseItem(cursor: Cursor): Item | undefined {
  const value = parseBareItem(cursor);
  const parameters = value && parseParameters(cursor);
  return value && parameters && { kind: 'item', value, parameters };
}

function parseParameters(cursor: Cursor): Parameters | undefined {
  const parameters = new Map<string, BareItem>();
  while (cursor.takeText(';')) {
    cursor.take(SPACES);
    const name = cursor.take(KEY)?.[0];
    if (name === undefined || parameters.size >= MAX_ENTRIES) return undefined;
    const value = cursor.takeText('=') ? parseBareItem(cursor) : TRUE;
    if (value === undefined) return undefined;
    parameters.delete(name);
    parameters.set(name, value);
  }
  return parameters;
}

const TRUE: BareItem = { kind: 'boolean', value: true };

function parseBareItem(cursor: Cursor): BareItem | undefined {
  const integer = cursor.take(INTEGER)?.[0];
  if (integer !== undefined) return { kind: 'integer', value: Number(integer) };
  const string = cursor.take(STRING)?.[1];
  if (string !== undefined) {
    return { kind: 'string', value: string.replaceAll(/\\(["\\])/g, '$1') };
  }
  const bytes = cursor.take(BYTES)?.[1];
  if (bytes !== undefined) return { kind: 'bytes', value: Buffer.from(bytes, 'base64') };
  const boolean = cursor.take(BOOLEAN)?.[1];
  if (boolean !== undefined) return { kind: 'boolean', value: boolean === '1' };
  const token = cursor.take(TOKEN)?.[0];
  return token === undefined ? undefined : { kind: 'token', value: token };
}

/** Writes an inner list in its one canonical form (RFC 9651 section 4.1.1.1). */
export function serializeInnerList({ items, parameters }: InnerList): string {
  return `(${items.map(serializeItem).join(' ')})${serializeParameters(parameters)}`;
}

export function serializeItem({ value, parameters }: Item): string {
  return serializeBareItem(value) + serializeParameters(parameters);
}

function serializeParameters(parameters: Parameters): string {
  return [...parameters]
    .map(([name, bareItem]) => {
      const isTrue = bareItem.kind === 'boolean' && bareItem.value;
      return isTrue ? `;${name}` : `;${name}=${serializeBareItem(bareItem)}`;
    })
    .join('');
}

function serializeBareItem(item: BareItem): string {
  switch (item.kind) {
    case 'integer':
      return String(item.value);
    case 'string':
      return `"${item.value.replaceAll(/["\\]/g, '\\$&')}"`;
    case 'token':
      return item.value;
    case 'bytes':
      return `:${item.value.toString('base64')}:`;
    case 'boolean':
      return item.value ? '?1' : '?0';
  }
}

/** A position in a text. Taking text advances it. */
class Cursor {
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  take(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#offset;
    const match = sticky.exec(this.#text);
    if (match === null) return undefined;
    this.#offset = sticky.lastIndex;
    return match;
  }

  takeText(text: string): boolean {
    if (!this.#text.startsWith(text, this.#offset)) return false;
    this.#offset += text.length;
    return true;
  }
}
