import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EVENT_COLUMNS } from '../analytics/src/events/columns/event-columns.ts';

/** Contract 2.7: the statements that make the table, `list_columns` and this page come from one list. */

const PAGE = join(import.meta.dirname, '../docs/guide/analytics.md');

/** A row of a Markdown table, without the spaces that line its columns up. */
function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

test('the page names each column with its type and its comment, and none besides, in the order of the table', () => {
  const section = /## Columns\n([^]*?)\n## /.exec(readFileSync(PAGE, 'utf8'))?.[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows.map(cellsOf)).toEqual(
    EVENT_COLUMNS.map(({ name, type, comment }) => [`\`${name}\``, `\`${type}\``, comment]),
  );
});
