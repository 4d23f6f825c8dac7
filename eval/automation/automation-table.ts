import { markdown } from '../tables.ts';
import type { Row } from './measure-all.ts';
import type { Visits } from './measure.ts';
import { isMet } from './verdict.ts';

/** The result as a Markdown table. */
export function automationTable(rows: readonly Row[]): string {
  return markdown(
    ['who', 'how', 'visits', 'stopped', 'given away by', 'plain site', 'goal', ''],
    rows.map((row) => {
      const { tool } = row;
      const met = isMet(row);
      const cells =
        row.kind === 'not run'
          ? ['–', '–', `not run: ${row.why}`, '–']
          : [String(row.strict.made), stopped(row.strict), whatFor(row.strict), stopped(row.plain)];
      const mark = met === undefined ? '–' : met ? 'met' : 'MISSED';
      return [tool.name, tool.variant, ...cells, tool.goal, mark];
    }),
  );
}

function stopped({ made, reached }: Visits): string {
  return made === 0 ? '–' : `${made - reached} of ${made}`;
}

function whatFor({ made, reasons, broke }: Visits): string {
  const found = [...reasons].map(([reason, visits]) =>
    visits === made ? reason : `${reason} (${visits})`,
  );
  const failures = broke.map((why) => `broke: ${why.replaceAll('|', '/')}`);
  return [...found, ...failures].join(', ') || 'nothing';
}
