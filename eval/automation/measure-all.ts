import { visitInProcess } from './visit-in-process.ts';
import { startDisplay } from '../../test/kit/browsers/virtual-display.ts';
import { type Protection, startTestbed } from './testbed.ts';
import { measure, type Visits } from './measure.ts';
import { fileNameOf, type Tool } from './tool.ts';
import { findMissing } from './versions.ts';

/** One line of the result. */
export type Row =
  | { readonly kind: 'not run'; readonly tool: Tool; readonly why: string }
  | {
      readonly kind: 'measured';
      readonly tool: Tool;
      /** The number of visits to the site that challenges every session. The goal is about these visits. */
      readonly strict: Visits;
      /** The number of visits to the site that challenges only doubtful sessions. There is no goal for these visits. */
      readonly plain: Visits;
    };

export interface MeasureAllOptions {
  readonly tools: readonly Tool[];
  readonly runs: Readonly<Record<Protection, number>>;
  /** The number of visits of people to the strict site. It can be higher, because these visits must never fail. */
  readonly peopleRuns: number;
  /** The folder for the uploads of challenges. */
  readonly dump: string | undefined;
  readonly onRow: (row: Row) => void;
}

/** Measures the tools one after the other: one browser at a time, on one virtual screen. */
export async function measureAll(options: MeasureAllOptions): Promise<Row[]> {
  const { tools, runs, peopleRuns, dump, onRow } = options;
  const rows: Row[] = [];
  const testbed = await startTestbed(dump);
  const display = await startDisplay();
  try {
    for (const tool of tools) {
      const name = fileNameOf(tool);
      testbed.keepUploadsIn(name);
      const isPerson = tool.goal === 'allowed 100 %';
      const visits = (protection: Protection) =>
        measure(testbed, visitInProcess(tool), {
          protection,
          runs: protection === 'strict' && isPerson ? peopleRuns : runs[protection],
          display: display.name,
          name: `${protection}/${name}`,
        });
      const why = findMissing(tool);
      const row: Row =
        why === undefined
          ? { kind: 'measured', tool, strict: await visits('strict'), plain: await visits('plain') }
          : { kind: 'not run', tool, why };
      rows.push(row);
      onRow(row);
    }
  } finally {
    await display.close();
    await testbed.close();
  }
  return rows;
}
