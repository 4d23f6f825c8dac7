import {
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/**
 * Adds a key to guard.yaml, or removes one. Only the text of the entry changes, so comments, order and quotes stay. The
 * text must be a valid settings file. The caller loads the result before it writes it.
 */

export type KeyList = 'analytics_keys' | 'secret_keys';

export interface KeyPlace {
  readonly organisation: string;
  readonly list: KeyList;
  readonly id: string;
}

interface NewKey extends KeyPlace {
  /** The key in the form of guard.yaml: `sha256:` and 64 hex digits. */
  readonly key: string;
  /** The last day on which the key is valid, such as `2027-06-30`. */
  readonly expires?: string | undefined;
}

export type KeyEdit =
  | {
      readonly kind: 'edited';
      readonly text: string;
      /** The entry that was added or removed, and its line, counted from 1. */
      readonly entry: string;
      readonly line: number;
    }
  /** The list has a form that only a person should change. `reason` is a phrase. */
  | { readonly kind: 'impossible'; readonly reason: string };

/** A replacement for the text from `from` up to, but not including, `to`. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly insertion: string;
}

export function addKey(text: string, key: NewKey): KeyEdit {
  const organisation = findOrganisation(text, key.organisation);
  if (organisation === undefined) return NOT_FOUND;
  const entry = entryOf(key);
  const splice = spliceIn(text, organisation, key.list, entry);
  if (splice === undefined) return NOT_PLAIN;
  const newText = applySplice(text, splice);
  const entryStart = splice.from + splice.insertion.indexOf(entry);
  return { kind: 'edited', text: newText, entry, line: lineOf(newText, entryStart) };
}

export function removeKey(text: string, { organisation, list, id }: KeyPlace): KeyEdit {
  const organisationMap = findOrganisation(text, organisation);
  const name = organisationMap && keyOf(organisationMap, list);
  const keys = organisationMap && valueOf(organisationMap, list);
  if (!name || !isSeq<Node>(keys)) return NOT_FOUND;
  const index = keys.items.findIndex((item) => isMap(item) && textOf(valueOf(item, 'id')) === id);
  const item = keys.items[index];
  if (item === undefined) return NOT_FOUND;
  const entry = text.slice(startOf(item), endOf(item));
  const splice = keys.flow === true ? cutFlow(keys, index) : cutBlock(text, name, keys, index);
  if (splice === undefined) return NOT_PLAIN;
  return {
    kind: 'edited',
    text: applySplice(text, splice),
    entry,
    line: lineOf(text, startOf(item)),
  };
}

const NOT_FOUND: KeyEdit = {
  kind: 'impossible',
  reason: 'its entry is not written there as plain text',
};
const NOT_PLAIN: KeyEdit = {
  kind: 'impossible',
  reason: 'the list of keys is an alias, or not a plain list',
};

function applySplice(text: string, { from, to, insertion }: Splice): string {
  return text.slice(0, from) + insertion + text.slice(to);
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function findOrganisation(text: string, id: string): YAMLMap | undefined {
  const { contents } = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false });
  const organisations = isMap(contents) ? valueOf(contents, 'organisations') : undefined;
  if (!isSeq<Node>(organisations)) return undefined;
  return organisations.items
    .filter((item) => isMap(item))
    .find((item) => textOf(valueOf(item, 'id')) === id);
}

/** The value of an entry. Null when the value is empty, and undefined when there is no entry. */
function valueOf(map: YAMLMap, name: string): Node | null | undefined {
  // The cast is safe, because the parser creates pairs only from nodes.
  return map.items.find(({ key }) => textOf(key) === name)?.value as Node | null | undefined;
}

function keyOf(map: YAMLMap, name: string): Node | undefined {
  return map.items.find(({ key }) => textOf(key) === name)?.key as Node | undefined;
}

function textOf(node: unknown): string | undefined {
  return isScalar(node) && typeof node.value === 'string' ? node.value : undefined;
}

/** An id that YAML would not read as text is quoted. */
function entryOf({ id, key, expires }: NewKey): string {
  const isPlain = /^[a-z][a-z0-9_-]*$/i.test(id) && !/^(true|false|null)$/i.test(id);
  const expiryText = expires === undefined ? '' : `, expires: ${expires}`;
  return `{ id: ${isPlain ? id : JSON.stringify(id)}, key: "${key}"${expiryText} }`;
}

function spliceIn(
  text: string,
  organisation: YAMLMap,
  list: KeyList,
  entry: string,
): Splice | undefined {
  const name = keyOf(organisation, list);
  if (name === undefined) return spliceNewList(text, organisation, list, entry);
  const keys = valueOf(organisation, list);
  if (keys === null || (isScalar(keys) && keys.value === null && startOf(keys) >= endOf(keys))) {
    const colon = text.indexOf(':', endOf(name)) + 1;
    return { from: colon, to: colon, insertion: ` [${entry}]` };
  }
  if (!isSeq<Node>(keys)) return undefined;
  const last = keys.items.at(-1);
  if (keys.flow !== true) {
    const dash = last && dashOf(text, keys, last);
    return last && dash !== undefined
      ? newLine(text, endOf(last), `${' '.repeat(dash.column)}- ${entry}`)
      : undefined;
  }
  if (last !== undefined) return { from: endOf(last), to: endOf(last), insertion: `, ${entry}` };
  return { from: startOf(keys) + 1, to: startOf(keys) + 1, insertion: entry };
}

function spliceNewList(
  text: string,
  organisation: YAMLMap,
  list: KeyList,
  entry: string,
): Splice | undefined {
  const name = keyOf(organisation, 'id');
  const id = valueOf(organisation, 'id');
  if (!name || !id) return undefined;
  if (organisation.flow === true) {
    return { from: endOf(id), to: endOf(id), insertion: `, ${list}: [${entry}]` };
  }
  const start = startOf(name);
  const indent = ' '.repeat(start - lineStartOf(text, start));
  return newLine(text, endOf(id), `${indent}${list}: [${entry}]`);
}

/** Inserts a line after the line that contains the offset, and after the comment of that line. */
function newLine(text: string, at: number, line: string): Splice {
  const newline = text.indexOf('\n', at);
  const lineEnd = newline === -1 ? text.length : newline;
  const from = text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
  return { from, to: from, insertion: `${text.includes('\r\n') ? '\r\n' : '\n'}${line}` };
}

function cutFlow({ items }: YAMLSeq<Node>, at: number): Splice | undefined {
  const [item, itemBefore, itemAfter] = [items[at], items[at - 1], items[at + 1]];
  if (!item) return undefined;
  if (itemAfter) return { from: startOf(item), to: startOf(itemAfter), insertion: '' };
  return { from: itemBefore ? endOf(itemBefore) : startOf(item), to: endOf(item), insertion: '' };
}

/** Removes the lines of the entry with their comments. When the list becomes empty, it stays as `[]`. */
function cutBlock(text: string, name: Node, keys: YAMLSeq<Node>, at: number): Splice | undefined {
  const item = keys.items[at];
  const dash = item && dashOf(text, keys, item);
  if (!dash) return undefined;
  const newline = text.indexOf('\n', endOf(item));
  const to = newline === -1 ? text.length : newline + 1;
  if (keys.items.length > 1) return { from: dash.lineStart, to, insertion: '' };
  const colon = text.indexOf(':', endOf(name)) + 1;
  return { from: colon, to, insertion: ` []${text.slice(colon, dash.lineStart)}` };
}

/** The dash of a block entry. Comments can come between the dash and the value. */
function dashOf(
  text: string,
  keys: YAMLSeq<Node>,
  item: Node,
): { readonly lineStart: number; readonly column: number } | undefined {
  const first = lineStartOf(text, startOf(keys));
  for (let lineStart = lineStartOf(text, startOf(item)); lineStart >= first;) {
    const indent = /^( *)-(?=\s)/.exec(text.slice(lineStart))?.[1];
    if (indent !== undefined) return { lineStart, column: indent.length };
    if (lineStart === 0) return undefined;
    lineStart = lineStartOf(text, lineStart - 1);
  }
  return undefined;
}

function lineStartOf(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/**
 * The position after the last character of a node. The comments after a block do not belong to it, but the parser
 * includes them.
 */
function endOf(node: Node): number {
  if (isCollection(node) && node.flow !== true) {
    const last: unknown = node.items.at(-1);
    const lastNode = isMap(node) ? (node.items.at(-1)?.value ?? node.items.at(-1)?.key) : last;
    // The cast is safe, because the parser creates a node for everything in a block.
    if (lastNode) return endOf(lastNode as Node);
  }
  return node.range?.[1] ?? 0;
}
