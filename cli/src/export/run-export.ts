import type { EventsAccess } from '../running-guard/query-events.ts';
import { messageOf } from '../terminal/faults.ts';
import { type FormatName, FORMATS } from './formats.ts';
import type { ExportOutput } from './output.ts';
import { readHead, countHours, type Page, readPages, type ExportQuery } from './pages.ts';

type ExportEnd =
  | { readonly kind: 'done'; readonly rows: number; readonly bytes: number }
  /** The output is incomplete and was removed. `why` is a phrase. */
  | { readonly kind: 'failed'; readonly why: string };

interface ExportJob {
  readonly access: EventsAccess;
  readonly query: ExportQuery;
  readonly format: FormatName;
  readonly output: ExportOutput;
  /** Called for each page with the number of its rows, and with the number of all rows at the start of the export. */
  readonly progress: (rows: number, total: number) => void;
}

/**
 * Reads the events page by page and writes them. Only one page is in memory at a time. Parquet also needs the footer
 * data of all row groups, about 10 KB each. Never rejects.
 */
export async function runExport(job: ExportJob): Promise<ExportEnd> {
  const { output } = job;
  try {
    const end = await copyRows(job);
    if (end.kind === 'done') await output.finish();
    else await output.abandon();
    return end;
  } catch (error) {
    await output.abandon().catch(() => undefined);
    return { kind: 'failed', why: messageOf(error) };
  }
}

async function copyRows(job: ExportJob): Promise<ExportEnd> {
  const { access, query, format, output, progress } = job;
  const { head, rows, join } = FORMATS[format];
  const joiner = join();
  let bytes = 0;
  const write = async (part: Buffer): Promise<void> => {
    bytes += part.length;
    if (part.length > 0) await output.write(part);
  };
  const headPage: Page = await readHead(access, query, head);
  if (headPage.kind === 'failed') return { kind: 'failed', why: headPage.why };
  await write(joiner.add(headPage.answer));
  const hours = await countHours(access, query);
  if (hours.kind === 'refused') return { kind: 'failed', why: hours.why };
  const total = hours.rows.reduce((sum, hour) => sum + hour.rows, 0);
  for await (const page of readPages(access, query, hours.rows, rows)) {
    if (page.kind === 'failed') return { kind: 'failed', why: page.why };
    const rowsBefore = joiner.rows();
    await write(joiner.add(page.answer));
    progress(joiner.rows() - rowsBefore, total);
  }
  await write(joiner.end());
  return { kind: 'done', rows: joiner.rows(), bytes };
}
