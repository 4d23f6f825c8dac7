import type { FetchReport, FetchTerms } from '@guard/server';
import { valueOption } from '../command-line/options.ts';
import { alignColumns } from '../terminal/layout.ts';
import { toPrintable } from '../terminal/printable.ts';

const DEFAULT_TIMEOUT_S = 15;

export function timeoutOption(subject: 'list' | 'directory') {
  return valueOption('SECONDS', `how long one ${subject} may take (default ${DEFAULT_TIMEOUT_S})`);
}

export const SOURCE_BASE_OPTION = valueOption(
  'URL',
  'ask a mirror: `URL/<host>/<path>` instead of `https://<host>/<path>`',
);

/** Reads the options of a fetch. When a value is wrong, the result is a sentence for the user. */
export function readFetchTerms(values: {
  readonly timeout?: string | undefined;
  readonly 'source-base'?: string | undefined;
}): FetchTerms | string {
  const base = values['source-base'];
  const timeoutS = Number(values.timeout ?? DEFAULT_TIMEOUT_S);
  if (base !== undefined && !URL.canParse(base)) return '--source-base takes a URL';
  if (!(timeoutS > 0 && timeoutS <= 600)) return '--timeout takes 1 to 600 seconds';
  const mirrorOf = base === undefined ? undefined : (url: string) => mirrorUrl(url, base);
  return { timeoutMs: timeoutS * 1000, mirrorOf };
}

function mirrorUrl(url: string, base: string): string {
  const { host, pathname, search } = new URL(url);
  return `${base.replace(/\/$/, '')}/${host}${pathname}${search}`;
}

/**
 * One line for each report, and the number of copies that are current. `cellsOf` returns the name and the content for a
 * line.
 */
export function describeReports<T extends FetchReport>(
  reports: readonly T[],
  cellsOf: (report: T) => readonly [name: string, kept: string],
  ending: string,
): string {
  const rows = reports.map((report) => {
    const { result, dropped, reason } = report;
    const [name, kept] = cellsOf(report);
    const keptText = `${kept}${dropped === 0 ? '' : `, ${dropped} dropped`}`;
    // The reason can contain a part of a publisher's answer, so it is made printable.
    return [name, result, keptText, toPrintable(reason)];
  });
  const currentCount = reports.filter(({ reason }) => reason === '').length;
  return `${alignColumns(rows).join('\n')}\n\n${currentCount} of ${reports.length} ${ending}.`;
}
