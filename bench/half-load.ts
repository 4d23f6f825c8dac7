/**
 * What the gateway adds to the 99th percentile at half of what it can do: many connections that ask at
 * random, so that requests come whether or not the earlier ones were answered, at the same rate as
 * straight to the origin.
 */
import { goalsTable } from './goals.ts';
import { load, loadedBy, WARM_SECONDS, warmNote } from './load.ts';
import { placement } from './processes.ts';
import { type BenchOptions, type Report, toTable } from './report.ts';
import { inRounds, medianOf, paired } from './rounds.ts';
import type { LoadResult } from './traffic.ts';
import { returning } from './visitors.ts';
import { guardSettings, onWorkbench, startGuard, startOrigin } from './workbench.ts';

const DIRECT = 'direct to the origin';
const GUARD = 'guard, every decision made and recorded';
/** So many that a slow answer holds up nobody's next request but one in 256. */
const VISITORS = 256;

export function bench(options: BenchOptions): Promise<Report> {
  return onWorkbench(async (workbench) => {
    const origin = await startOrigin(workbench);
    const guard = await startGuard(workbench, 'guard', guardSettings('guard', origin.line));
    const common = { path: '/', headers: await returning(guard.url) };
    const targets = [
      { ...common, name: DIRECT, url: origin.line },
      { ...common, name: GUARD, url: guard.url },
    ];
    options.onProgress('warming');
    for (const target of targets) await load(target, { ...options, seconds: WARM_SECONDS });
    options.onProgress('finding out what is full load');
    const full = await load({ ...common, url: guard.url }, options);
    const fullRate = full.requests / full.seconds;
    const pauseMs = (1000 * VISITORS) / (fullRate / 2);
    const samples = await inRounds(targets, options, (target) =>
      load(target, { ...options, connections: VISITORS, pauseMs }),
    );
    const body = [DIRECT, GUARD].map((name) => {
      const of = (read: (sample: LoadResult) => number) => medianOf(samples, name, read);
      return [
        name,
        of((s) => s.requests / s.seconds).toFixed(0),
        of((s) => s.p50Us).toFixed(0),
        of((s) => s.p99Us).toFixed(0),
      ];
    });
    const added = paired(samples, [GUARD, DIRECT], (a, b) => (a.p99Us - b.p99Us) / 1000);
    const goal = { name: 'added at the 99th percentile', measured: added };
    return {
      rows: [...samples].map(([name, rounds]) => ({ name, rounds })),
      table: `${toTable(['target', 'requests/s', 'p50 us', 'p99 us'], body)}\n\n${goalsTable([{ ...goal, bound: { atMost: 1 }, unit: 'ms' }])}`,
      notes: [
        placement,
        loadedBy,
        warmNote,
        `full load was ${fullRate.toFixed(0)} requests/s at ${options.connections} connections; half of it by ${VISITORS} connections with exponential pauses; 1 KiB answers`,
      ],
    };
  });
}
