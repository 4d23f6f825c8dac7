/**
 * Measures the gateway's throughput in a flood in which no cache knows any request. Each request has another address,
 * another User-Agent, another path, and no session. A second flood gets challenge pages, because for requests without a
 * session they are the most expensive answer.
 */
import { atLeast, atMost, goalsTable } from './measure/goals.ts';
import { load, loadedBy, WARM_SECONDS, warmNote } from './measure/load.ts';
import { measureTarget, type Sample } from './measure/measure-target.ts';
import { placement } from './measure/processes.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { runInRounds, medianOf, pairedRatio } from './measure/rounds.ts';
import { measureAlone, standStillNote } from './measure/stand-still.ts';
import { headersOfReturning, stranger, STRANGERS_PATH } from './visitors.ts';
import { guardSettings, withWorkbench, startGuard, startOrigin } from './measure/workbench.ts';

const WARM = 'one visitor, again and again';
const FLOOD = 'every request new to every cache';
const CHALLENGED_FLOOD = 'the same, each with a challenge page';
/** The number of visitors. It is higher than the number of requests in a round. */
const ROUND = 10_000_000;

/** Each load has its own Guard, so that heap and backlog of one flood do not affect another load. */
export function bench(options: BenchOptions): Promise<Report> {
  return withWorkbench(async (workbench) => {
    const origin = await startOrigin(workbench);
    const warmGuard = await startGuard(workbench, 'warm', guardSettings('warm', origin.line));
    const floodedGuard = await startGuard(
      workbench,
      'flooded',
      guardSettings('flooded', origin.line),
    );
    const rules = [{ name: 'everybody', match: {}, challenge: 'always' }];
    const strict = await startGuard(
      workbench,
      'strict',
      guardSettings('strict', origin.line, { rules }),
    );
    const common = { recorded: true };
    const targets = [
      {
        ...common,
        ...{ name: WARM, url: warmGuard.url, pids: [warmGuard.pid] },
        ...{ path: '/', headers: await headersOfReturning(warmGuard.url) },
      },
      {
        ...common,
        ...{ name: FLOOD, url: floodedGuard.url, pids: [floodedGuard.pid] },
        ...{ path: STRANGERS_PATH, headers: stranger },
      },
      {
        ...common,
        ...{ name: CHALLENGED_FLOOD, url: strict.url, pids: [strict.pid] },
        ...{ path: STRANGERS_PATH, headers: stranger, isRefused: true },
      },
    ];
    for (const target of targets) await load(target, { ...options, seconds: WARM_SECONDS });
    const samples = await runInRounds(targets, options, (target, round) =>
      measureAlone(target, targets, () =>
        measureTarget(target, { ...options, from: round * ROUND }),
      ),
    );
    const body = [WARM, FLOOD, CHALLENGED_FLOOD].map((name) => {
      const medianOfSamples = (read: (sample: Sample) => number) => medianOf(samples, name, read);
      return [
        name,
        medianOfSamples((s) => s.requestsPerS).toFixed(0),
        medianOfSamples((s) => s.cpuUs).toFixed(1),
        medianOfSamples((s) => s.databaseUs).toFixed(1),
        medianOfSamples((s) => s.p99Us).toFixed(0),
      ];
    });
    const share = pairedRatio(samples, [FLOOD, WARM], (a, b) => a.requestsPerS / b.requestsPerS);
    const pages = pairedRatio(samples, [CHALLENGED_FLOOD, WARM], (a, b) => a.cpuUs / b.cpuUs);
    const goals = [
      atLeast('requests/s in a flood, of those of one visitor', 0.5, share),
      atMost('CPU of a challenge page, of that of a forwarded request', 3, pages),
    ];
    const head = ['visitors', 'requests/s', 'CPU us/request', 'of it database', 'p99 us'];
    return {
      rows: [...samples].map(([name, rounds]) => ({ name, rounds })),
      table: `${toTable(head, body)}\n\n${goalsTable(goals)}`,
      notes: [
        placement,
        loadedBy,
        warmNote,
        standStillNote,
        `${options.connections} connections, keep-alive; 1 KiB answers`,
      ],
    };
  });
}
