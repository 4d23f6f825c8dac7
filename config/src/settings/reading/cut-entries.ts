/**
 * Cuts the entries of a list out of the text of a YAML mapping, so that each entry can be read alone. It looks only at
 * the indentation. If the cut is wrong, an entry or the rest is not valid YAML, and the parser reports an error.
 */

export interface EntryText {
  /** The offset at which the entry starts in the original text. */
  readonly start: number;
  readonly text: string;
}

interface CutText {
  /** The text with an empty list in place of the entries. */
  readonly rest: string;
  readonly entries: readonly EntryText[];
  readonly toOriginal: (offset: number) => number;
}

const EMPTY_LIST = ' []';

/**
 * The result has no entries when the list is absent or is not written as a block. `indent` is the indentation of the
 * list's name.
 */
export function cutEntries(text: string, name: string, indent: number): CutText {
  const uncutText: CutText = { rest: text, entries: [], toOriginal: (offset) => offset };
  const listHead = new RegExp(`^( {${indent}}${name}:) *(?: #.*)?\\r?\\n`, 'm').exec(text);
  if (listHead === null) return uncutText;
  const colon = listHead.index + (listHead[1]?.length ?? 0);
  const { starts, end } = findEntries(text, listHead.index + listHead[0].length, indent);
  const [firstStart] = starts;
  if (firstStart === undefined) return uncutText;
  return {
    rest: text.slice(0, colon) + EMPTY_LIST + text.slice(colon, firstStart) + text.slice(end),
    entries: starts.map((start, at) => ({ start, text: text.slice(start, starts[at + 1] ?? end) })),
    toOriginal(offset) {
      if (offset <= colon) return offset;
      const shiftedOffset = Math.max(colon, offset - EMPTY_LIST.length);
      return shiftedOffset < firstStart ? shiftedOffset : shiftedOffset + end - firstStart;
    },
  };
}

/** Finds the starts of the entries and the end of the last one. The first entry defines the indentation. */
function findEntries(text: string, from: number, indent: number) {
  const starts: number[] = [];
  let depth = indent;
  let end = from;
  while (end < text.length) {
    const line = lineAt(text, end);
    if (line.kind === 'tab') return { starts: [], end };
    if (line.kind !== 'empty') {
      if (starts.length === 0) depth = Math.max(indent, line.spaces);
      if (line.spaces < depth || (line.spaces === depth && line.kind !== 'dash')) break;
      if (line.spaces === depth) starts.push(end);
    }
    end = text.indexOf('\n', end) + 1 || text.length;
  }
  return { starts, end };
}

interface Line {
  /** The kind of a comment is `empty`, because a comment can belong to any entry. */
  readonly kind: 'empty' | 'dash' | 'tab' | 'other';
  readonly spaces: number;
}

function lineAt(text: string, start: number): Line {
  let at = start;
  while (text[at] === ' ') at += 1;
  const spaces = at - start;
  switch (text[at] ?? '\n') {
    case '#':
    case '\n':
    case '\r':
      return { kind: 'empty', spaces };
    case '\t':
      return { kind: 'tab', spaces };
    case '-':
      return { kind: /\s/.test(text[at + 1] ?? '\n') ? 'dash' : 'other', spaces };
    default:
      return { kind: 'other', spaces };
  }
}
