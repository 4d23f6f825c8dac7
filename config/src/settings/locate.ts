export interface Position {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 code units. */
  readonly column: number;
}

/** Turns an offset in a text into a position; one at or behind the end becomes the last character. */
export function createLocator(text: string): (offset: number) => Position {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    lineStarts.push(at + 1);
  }
  const lastCharacter = Math.max(0, text.trimEnd().length - 1);

  return (offset) => {
    const at = Math.max(0, Math.min(offset, lastCharacter));
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((lineStarts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (lineStarts[low] ?? 0) + 1 };
  };
}
