import { apart } from './apart.ts';
import { startDisplay } from '../../test/kit/virtual-display.ts';
import { type Protection, startGround } from './ground.ts';
import { measure, type Visits } from './measure.ts';
import type { Tool } from './tool.ts';
import { fileNameOf } from './tool-name.ts';
import { whyNot } from './versions.ts';

/** One line of the result. */
export type Row =
  | { readonly kind: 'not run'; readonly tool: Tool; readonly why: string }
  | {
      readonly kind: 'measured';
      readonly tool: Tool;
      /** On the site that challenges every session: what the goal is about. */
      readonly strict: Visits;
      /** On the site that challenges only whom detection doubts: shown, nothing promised. */
      readonly plain: Visits;
    };

export interface MeasureAllOptions {
  readonly tools: readonly Tool[];
  /** Visits of each tool to the strict site, and to the plain one. */
  readonly runs: Readonly<Record<Protection, number>>;
  /** Visits of people to the strict site: what must never fail is tried more often. */
  readonly peopleRuns: number;
  /** Keeps what challenges upload below this folder. */
  readonly dump: string | undefined;
  readonly onRow: (row: Row) => void;
}

/** Measures one tool behind the other: one browser at a time, on one virtual screen. */
export async function measureAll(options: MeasureAllOptions): Promise<Row[]> {
  const { tools, runs, peopleRuns, dump, onRow } = options;
  const rows: Row[] = [];
  const ground = await startGround(dump);
  const display = await startDisplay();
  try {
    for (const tool of tools) {
      const name = fileNameOf(tool);
      ground.keepUploadsIn(name);
      const isPerson = tool.goal === 'allowed 100 %';
      const visits = (protection: Protection) =>
        measure(ground, apart(tool), {
          protection,
          runs: protection === 'strict' && isPerson ? peopleRuns : runs[protection],
          display: display.name,
          name: `${protection}/${name}`,
        });
      const why = whyNot(tool);
      const row: Row =
        why === undefined
          ? { kind: 'measured', tool, strict: await visits('strict'), plain: await visits('plain') }
          : { kind: 'not run', tool, why };
      rows.push(row);
      onRow(row);
    }
  } finally {
    await display.close();
    await ground.close();
  }
  return rows;
}
