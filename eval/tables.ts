import type { Miss, Row } from './evaluate.ts';

/** Returns the result as a Markdown table. */
export function rowTable(rows: readonly Row[]): string {
  const share = (part: number, whole: number) =>
    whole === 0 ? '–' : `${((part / whole) * 100).toFixed(2)} %`;
  return markdown(
    ['group', 'half', 'requests', 'allowed', 'challenged', 'blocked', 'as wanted', 'goal', ''],
    rows.map((row) => [
      row.group,
      row.half,
      String(row.requests),
      String(row.decisions?.allow ?? '–'),
      String(row.decisions?.challenge ?? '–'),
      String(row.decisions?.block ?? '–'),
      share(row.right, row.requests),
      row.goal,
      row.met === undefined ? '' : row.met ? 'met' : 'MISSED',
    ]),
  );
}

/**
 * Returns a table with one line for all misses with the same reasons. It has at most `most` lines, and then the number
 * of further lines.
 */
export function missTable(misses: readonly Miss[], most: number): string {
  const groups = Map.groupBy(misses, ({ group, reasons }) => `${group}\n${reasons.join(', ')}`);
  const lines = [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { group, reasons, about } = first;
    return [[group, String(same.length), reasons.join(', ') || 'none', about.replaceAll('|', '/')]];
  });
  if (lines.length === 0) return 'Nothing.';
  const remainder = lines.length > most ? `\n\nand ${lines.length - most} more kinds` : '';
  return `${markdown(['group', 'requests', 'reasons', 'for example'], lines.slice(0, most))}${remainder}`;
}

/** Returns a Markdown table. Each column is as wide as its widest cell. */
export function markdown(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) =>
    Math.max(3, title.length, ...body.map((cells) => cells[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
