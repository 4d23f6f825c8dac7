/** Facts about a JSON text that `JSON.parse` does not return. */
interface JsonShape {
  /** Deepest nesting of objects and arrays. The scan stops above the allowed depth. */
  readonly depth: number;
  /** The number of members in the text, of the outermost object and of the objects directly inside it. */
  readonly members: number;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Finds the depth and the number of members of a JSON text in one pass. JSON does not define the meaning of a name that
 * occurs twice in one object (RFC 8259 section 4). A text with such a name has more members than {@link memberCount}
 * finds in its parsed value. For a text that is not JSON the result has no meaning.
 */
export function scanJson(text: string, maxDepth: number): JsonShape {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (++depth > deepest) deepest = depth;
        if (deepest > maxDepth) return { depth: deepest, members };
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth--;
        break;
      case COLON:
        // Outside of strings, each member has exactly one colon.
        if (depth <= 2) members++;
        break;
    }
  }
  return { depth: deepest, members };
}

/** The number of members of a parsed value, counted as in scanJson. */
export function memberCount(value: object): number {
  const values: unknown[] = Object.values(value);
  let count = values.length;
  for (const inner of values) {
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      count += Object.keys(inner).length;
    }
  }
  return count;
}

/** Index of the quote at the end of the string. `from` is the index of its first quote. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes comes before this position. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}
