import { styleText } from 'node:util';

/** Styles are used only when standard output is a terminal with colours. */
export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

export function applyStyle(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

export function section(title: string, lines: readonly string[]): string {
  return [applyStyle('bold', title), ...lines.map((line) => `  ${line}`)].join('\n');
}

/** A number with its noun, such as `1 site` or `2 sites`. */
export function countText(n: number, thing: string): string {
  return `${n} ${thing}${n === 1 ? '' : 's'}`;
}

/**
 * Formats rows as columns with the width of the longest cell. The last column is not padded. Styles are applied after
 * padding, so that colour codes do not change the widths.
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  styleCell: (text: string, columnIndex: number, rowIndex: number) => string = (text) => text,
): string[] {
  const widths = rows.reduce<number[]>(
    (maxWidths, row) =>
      row.map((cell, columnIndex) => Math.max(maxWidths[columnIndex] ?? 0, cell.length)),
    [],
  );
  return rows.map((row, rowIndex) =>
    row
      .map((cell, columnIndex) =>
        styleCell(
          columnIndex === row.length - 1 ? cell : cell.padEnd(widths[columnIndex] ?? 0),
          columnIndex,
          rowIndex,
        ),
      )
      .join('  ')
      .trimEnd(),
  );
}
