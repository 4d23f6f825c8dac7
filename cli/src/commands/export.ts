import { inertJson } from '@guard/config/settings/problems/problems';
import { RETENTION } from '@guard/config/contract/limits';
import { conditionFault } from '@guard/analytics/condition';
import { createCommand } from '../command-line/command.ts';
import { switchOption, type Options, type ReadLine, valueOption } from '../command-line/options.ts';
import { chooseFormat, FORMAT_NAMES, type FormatName } from '../export/formats.ts';
import { type ExportOutput, openFile, standardOutput } from '../export/output.ts';
import type { ExportQuery } from '../export/pages.ts';
import { readTimes } from '../export/read-times.ts';
import { runExport } from '../export/run-export.ts';
import { EVENTS_OPTIONS, findGuard } from '../running-guard/find-guard.ts';
import type { EventsAccess } from '../running-guard/query-events.ts';
import { fileFault } from '../terminal/faults.ts';
import { countText } from '../terminal/layout.ts';
import { createProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';
import { reportFailure, print } from '../terminal/terminal.ts';

interface ExportCall {
  readonly wanted: ExportQuery;
  readonly format: FormatName;
  readonly out: string | undefined;
  readonly force: boolean;
  readonly json: boolean;
}

const OPTIONS = {
  ...EVENTS_OPTIONS,
  last: valueOption('TIME', 'how far back: 24h, 7d; default: all that is kept'),
  from: valueOption('WHEN', 'a day, or a time with its zone: 2026-11-01T12:00:00Z'),
  to: valueOption('WHEN', 'the end of the time, not included; default now'),
  where: valueOption('SQL', "a condition: ip = '203.0.113.7' AND action = 'block'"),
  columns: valueOption('LIST', 'names of columns: ip,path,created_at; default all'),
  format: valueOption(
    'FORMAT',
    `one of ${FORMAT_NAMES.join(', ')}; default: as the name\nof the file ends, or jsonl`,
    FORMAT_NAMES,
  ),
  out: valueOption('FILE', 'the file to write; default: standard output', 'file'),
  force: switchOption('replace FILE if it already exists'),
  json: switchOption(
    'with --out: one JSON object about the export:\n`{ "file": …, "format": …, "from": …, "to": …, "rows": …, "bytes": … }`',
  ),
} as const satisfies Options;
type Values = ReadLine<typeof OPTIONS>['values'];

export const exportEvents = createCommand({
  name: 'export',
  summary: 'Write the events of a time or a filter as Parquet, CSV or JSON lines.',
  usage: [
    'guard export [--last 7d] [--where SQL] [--out FILE] [--config FILE]',
    'guard export --from WHEN --to WHEN [--columns LIST] [--format FORMAT] [--config FILE]',
  ],
  about: `Reads the events of the key's own organisation over POST /query and writes them in the order
of time. It asks for one page after another, so the limits of a statement cut nothing off, and
memory is bounded whatever the size.`,
  options: OPTIONS,
  notes: `The name of the file ends with .part until the export is complete. A failed export removes
this file. Without --force no file is replaced. Events are kept for ${RETENTION.rowsS / 86_400} days, their header
fields for ${RETENTION.detailS / 86_400}; an event that arrives while the export runs may be missing.`,
  exits: `0 all events are written, even if there are none; 1 the statement or the settings are refused,
Guard gives no answer, or the output cannot be written; 2 called wrongly.`,
  async run({ values, positionals }) {
    const call = readCall(values, positionals);
    if (typeof call === 'string') return call;
    const guard = findGuard(values);
    if (typeof guard !== 'object') return guard;
    if ('missing' in guard.events) return guard.events.missing;
    return writeExport(guard.events, call);
  },
});

function readCall(values: Values, positionals: readonly string[]): ExportCall | string {
  const { where, columns = '*', out, force, json } = values;
  if (positionals.length > 0) return `unexpected word: ${positionals[0]}`;
  const range = readTimes(values, Date.now());
  if (typeof range === 'string') return range;
  const fault = where === undefined ? undefined : conditionFault(where);
  if (fault !== undefined) return `--where: ${fault}`;
  if (columns !== '*' && !/^[a-z]\w*(?:, *[a-z]\w*)*$/.test(columns)) {
    return '--columns takes names of columns with commas between them: created_at,ip,path';
  }
  const format = chooseFormat(values.format, out);
  if (format === undefined) return `--format is one of: ${FORMAT_NAMES.join(', ')}`;
  if (out === undefined && json) return '--json needs --out FILE';
  if (out === undefined && format === 'parquet' && process.stdout.isTTY) {
    return 'a terminal cannot show Parquet: give --out FILE';
  }
  return { wanted: { range, where, columns }, format, out, force, json };
}

async function writeExport(access: EventsAccess, call: ExportCall): Promise<number> {
  const { wanted, format, out, force, json } = call;
  let output: ExportOutput;
  try {
    output = out === undefined ? standardOutput() : await openFile(out, force);
  } catch (error) {
    return reportFailure('export', fileFault(error));
  }
  let bar: ProgressBar | undefined;
  const outcome = await runExport({
    ...{ access, query: wanted, format, output },
    progress(rows, total) {
      bar ??= createProgressBar(process.stderr, total);
      bar.advance('rows', rows);
    },
  });
  bar?.end();
  if (outcome.kind === 'failed') {
    return reportFailure(
      'export',
      `${outcome.why}${out === undefined ? '; the output is not complete' : '; no file was written'}`,
    );
  }
  const { rows, bytes } = outcome;
  const [from, to] = [wanted.range.from, wanted.range.to].map((ms) => new Date(ms).toISOString());
  if (json) print(inertJson({ file: out, format, from, to, rows, bytes }));
  else
    print(
      `${countText(rows, 'row')}, ${sizeOf(bytes)}${out === undefined ? '' : `, in ${out}`}`,
      'error',
    );
  return 0;
}

function sizeOf(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
