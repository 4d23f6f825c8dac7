import type { EventsAccess } from '../running-guard/query-events.ts';
import { messageOf } from '../terminal/faults.ts';
import { type FormatName, FORMATS } from './formats.ts';
import type { ExportOutput } from './output.ts';
import { askHead, countHours, type Page, readPages, type Wanted } from './pages.ts';

export interface Exported {
  readonly rows: number;
  readonly bytes: number;
}

export type ExportEnd =
  | ({ readonly kind: 'done' } & Exported)
  /** The output is abandoned. `why` is a phrase. */
  | { readonly kind: 'failed'; readonly why: string };

/**
 * Reads the events page by page and writes them. One page is in memory at a time, and of Parquet the places of all
 * row groups, about 10 KB each. Never rejects.
 *
 * @param progress told after each page, with the rows that were counted at the start.
 */
export async function runExport(
  access: EventsAccess,
  wanted: Wanted,
  format: FormatName,
  output: ExportOutput,
  progress: (done: Exported, total: number) => void,
): Promise<ExportEnd> {
  try {
    const ended = await copy(access, wanted, format, output, progress);
    if (ended.kind === 'done') await output.finish();
    else await output.abandon();
    return ended;
  } catch (error) {
    await output.abandon().catch(() => undefined);
    return { kind: 'failed', why: messageOf(error) };
  }
}

async function copy(
  access: EventsAccess,
  wanted: Wanted,
  format: FormatName,
  output: ExportOutput,
  progress: (done: Exported, total: number) => void,
): Promise<ExportEnd> {
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
    await write(joining.add(page.answer));
    progress({ rows: joining.rows(), bytes }, total);
  }
  await write(joining.end());
  return { kind: 'done', rows: joining.rows(), bytes };
}
