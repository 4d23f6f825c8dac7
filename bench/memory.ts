/**
 * Shows that memory has a bound. Ten million visitors come once, each with a ticket, a session and a budget. Half a
 * million complete decisions follow. The flood runs in a separate process. At the end the resident memory of this
 * process must be no higher than at the time when every table was full and its entries had been replaced.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';

const Phase = z.object({
  phase: z.string(),
  count: z.number(),
  sessions: z.number(),
  heapMiB: z.number(),
  rssMiB: z.number(),
});
type Phase = z.infer<typeof Phase>;

const NOTES = [
  'memory after a full collection; the tables hold 200,000 sessions, 400,000 spent tickets and 200,000 budgets by default',
  'the bound is the memory when every table is full and its entries were replaced, plus a quarter, because V8 gives pages back at any time',
];
/**
 * The tolerance in memory, because perhaps the garbage collector and the allocator have not yet released all memory.
 */
const ALLOWED_GROWTH = 1.25;

export async function bench({ onProgress }: BenchOptions): Promise<Report> {
  const script = join(import.meta.dirname, 'memory-flood.ts');
  const child = spawn(process.execPath, ['--expose-gc', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const childExit = once(child, 'exit');
  const rows: Phase[] = [];
  for await (const line of createInterface(child.stdout)) {
    const phase = Phase.parse(JSON.parse(line));
    onProgress(phase.phase);
    rows.push(phase);
  }
  await childExit;
  const fullRow = rows[1];
  const lastRow = rows.at(-1);
  if (fullRow === undefined || lastRow === undefined || child.exitCode !== 0) {
    throw new Error('the flood ended early');
  }
  const boundMiB = fullRow.rssMiB * ALLOWED_GROWTH;
  const verdict = lastRow.rssMiB <= boundMiB ? 'within' : 'ABOVE';
  return {
    rows,
    table: `${tableOf(rows)}\n\n${lastRow.rssMiB.toFixed(0)} MiB is ${verdict} the bound of ${boundMiB.toFixed(0)} MiB.`,
    notes: NOTES,
  };
}

function tableOf(rows: readonly Phase[]): string {
  return toTable(
    ['after', 'visitors', 'sessions held', 'heap MiB', 'RSS MiB'],
    rows.map(({ phase, count, sessions, heapMiB, rssMiB }) => [
      phase,
      count.toLocaleString('en'),
      sessions.toLocaleString('en'),
      heapMiB.toFixed(0),
      rssMiB.toFixed(0),
    ]),
  );
}
