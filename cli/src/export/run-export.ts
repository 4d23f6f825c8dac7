import type { EventsAccess } from '../running-guard/query-events.ts';
import { messageOf } from '../terminal/faults.ts';
import { type FormatName, FORMATS } from './formats.ts';
import type { ExportOutput } from './output.ts';
import { askHead, countHours, type Page, readPages, type Wanted } from './pages.ts';

export type ExportEnd =
  | { readonly kind: 'done'; readonly rows: number; readonly bytes: number }
  /** The output is incomplete and was removed. `why` is a phrase. */
  | { readonly kind: 'failed'; readonly why: string };

/** The content, format and destination of an export. */
export interface ExportJob {
  readonly access: EventsAccess;
  readonly wanted: Wanted;
  readonly format: FormatName;
  readonly output: ExportOutput;
  /** Called after each page with its rows and the number of all rows at the start. */
  readonly progress: (rows: number, total: number) => void;
}

/**
 * Reads the events page by page and writes them. Only one page is in memory at a time. Parquet also needs the footer
 * data of all row groups, about 10 KB each. Never rejects.
 */
export async function runExport(job: ExportJob): Promise<ExportEnd> {
  const { output } = job;
  try {
    const ended = await copy(job);
    if (ended.kind === 'done') await output.finish();
    else await output.abandon();
    return ended;
  } catch (error) {
    await output.abandon().catch(() => undefined);
    return { kind: 'failed', why: messageOf(error) };
  }
}

async function copy(job: ExportJob): Promise<ExportEnd> {
  const { access, wanted, format, output, progress } = job;
  const { head, rows, join } = FORMATS[format];
  const joining = join();
  let bytes = 0;
  const write = async (part: Buffer): Promise<void> => {
    bytes += part.length;
    if (part.length > 0) await output.write(part);
  };
  const first: Page = await askHead(access, wanted, head);
  if (first.kind === 'failed') return { kind: 'failed', why: first.why };
  await write(joining.add(first.answer));
  const counted = await countHours(access, wanted);
  if (counted.kind === 'refused') return { kind: 'failed', why: counted.why };
  const total = counted.rows.reduce((sum, hour) => sum + hour.rows, 0);
  for await (const page of readPages(access, wanted, counted.rows, rows)) {
    if (page.kind === 'failed') return { kind: 'failed', why: page.why };
    const before = joining.rows();
    await write(joining.add(page.answer));
    progress(joining.rows() - before, total);
  }
  await write(joining.end());
  return { kind: 'done', rows: joining.rows(), bytes };
}
