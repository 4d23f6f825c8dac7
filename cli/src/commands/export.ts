import { RETENTION } from '@guard/config/contract/limits';
import { conditionFault } from '@guard/analytics/condition';
import { createCommand } from '../command-line/command.ts';
import { flag, type Options, type ReadLine, valued } from '../command-line/options.ts';
import { chooseFormat, FORMAT_NAMES, type FormatName } from '../export/formats.ts';
import { type ExportOutput, openFile, standardOutput } from '../export/output.ts';
import type { Wanted } from '../export/pages.ts';
import { readTimes } from '../export/read-times.ts';
import { runExport } from '../export/run-export.ts';
import { EVENTS_OPTIONS, findGuard } from '../running-guard/find-guard.ts';
import type { EventsAccess } from '../running-guard/query-events.ts';
import { fileFault } from '../terminal/faults.ts';
import { counted } from '../terminal/layout.ts';
import { createProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';
import { failed, print } from '../terminal/terminal.ts';

interface Asked {
  readonly wanted: Wanted;
  readonly format: FormatName;
  readonly out: string | undefined;
  readonly force: boolean;
  readonly json: boolean;
}

const OPTIONS = {
  ...EVENTS_OPTIONS,
  last: valued('TIME', 'how far back: 24h, 7d; default: all that is kept'),
  from: valued('WHEN', 'a day, or a time with its zone: 2026-11-01T12:00:00Z'),
  to: valued('WHEN', 'the end of the time, not included; default now'),
  where: valued('SQL', "a condition: ip = '203.0.113.7' AND action = 'block'"),
  columns: valued('LIST', 'ip,path,created_at; default all'),
  format: valued(
    'FORMAT',
    `${FORMAT_NAMES.join(', ')}; default: what the name\nof the file ends with, or jsonl`,
    FORMAT_NAMES,
  ),
  out: valued('FILE', 'default: standard output', 'file'),
  force: flag('replace a file that is there already'),
  json: flag(
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
  notes: `A file has its name when it is whole: until then it ends with .part, and an export that fails
removes it. Without --force no file is replaced. Events are kept for ${RETENTION.rowsS / 86_400} days, their header
fields for ${RETENTION.detailS / 86_400}; one that arrives while the export runs may be missing.`,
  exits: `0 all events are written, even if there are none; 1 the statement or the settings are refused,
Guard gives no answer, or the output cannot be written; 2 called wrongly.`,
  async run({ values, positionals }) {
    const asked = readAsked(values, positionals);
    if (typeof asked === 'string') return asked;
    const guard = findGuard(values);
    if (typeof guard !== 'object') return guard;
    if ('missing' in guard.events) return guard.events.missing;
    return write(guard.events, asked);
  },
});

/** A sentence for the user when the options do not fit together. */
function readAsked(values: Values, positionals: readonly string[]): Asked | string {
  const { where, columns = '*', out, force, json } = values;
  if (positionals.length > 0) return `${JSON.stringify(positionals[0])} belongs to no option`;
  const range = readTimes(values, Date.now());
  if (typeof range === 'string') return range;
  const fault = where === undefined ? undefined : conditionFault(where);
  if (fault !== undefined) return `--where: ${fault}`;
  if (columns !== '*' && !/^[a-z]\w*(?:, *[a-z]\w*)*$/.test(columns)) {
    return '--columns takes names of columns with commas between them: created_at,ip,path';
  }
  const format = chooseFormat(values.format, out);
  if (format === undefined) return `--format is one of: ${FORMAT_NAMES.join(', ')}`;
  if (out === undefined && json) return '--json tells about a file: give --out FILE';
  if (out === undefined && format === 'parquet' && process.stdout.isTTY) {
    return 'a terminal cannot show Parquet: give --out FILE';
  }
  return { wanted: { range, where, columns }, format, out, force, json };
}

async function write(access: EventsAccess, asked: Asked): Promise<number> {
  const { wanted, format, out, force, json } = asked;
  let output: ExportOutput;
  try {
    output = out === undefined ? standardOutput() : await openFile(out, force);
  } catch (error) {
    return failed('export', fileFault(error));
  }
  let bar: ProgressBar | undefined;
  const ended = await runExport({
    ...{ access, wanted, format, output },
    progress(rows, total) {
      bar ??= createProgressBar(process.stderr, total);
      bar.advance('rows', rows);
    },
  });
  bar?.end();
  if (ended.kind === 'failed') {
    return failed(
      'export',
      `${ended.why}${out === undefined ? '; the output is not complete' : '; no file was written'}`,
    );
  }
  const { rows, bytes } = ended;
  const [from, to] = [wanted.range.from, wanted.range.to].map((ms) => new Date(ms).toISOString());
  if (json) print(JSON.stringify({ file: out, format, from, to, rows, bytes }));
  else
    print(
      `${counted(rows, 'row')}, ${sizeOf(bytes)}${out === undefined ? '' : `, in ${out}`}`,
      'error',
    );
  return 0;
}

function sizeOf(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
