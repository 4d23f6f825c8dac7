import { LineCounter } from 'yaml';

export interface Position {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 code units. */
  readonly column: number;
}

/** Turns an offset in a text into a position; one at or behind the end becomes the last character. */
export function createLocator(text: string): (offset: number) => Position {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    lines.addNewLine(at + 1);
  }
  const lastCharacter = Math.max(0, text.trimEnd().length - 1);

  return (offset) => {
    const { line, col } = lines.linePos(Math.max(0, Math.min(offset, lastCharacter)));
    return { line, column: col };
  };
}
