/**
 * Measures the gain of a second worker on two cores. It compares one core for all processes (Guard with one worker,
 * load and origin) with two cores for all processes (Guard with two workers). In both cases no core is idle. A load
 * with its own core would sleep between answers, and waking it can cost the gateway more than an answer.
 */
import { cpuTime, cpuTimeHereUs, threadTimesUs } from './measure/cpu-time.ts';
import { atLeast, type Goal, goalsTable } from './measure/goals.ts';
import { load, loadedBy, WARM_SECONDS, warmNote } from './measure/load.ts';
import { type Core, pinToCore } from './measure/processes.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { runInRounds, medianOf, pairedRatio, type Samples } from './measure/rounds.ts';
import type { LoadOptions, LoadResult, Traffic } from './measure/traffic.ts';
import { headersOfReturning } from './visitors.ts';
import {
  DETECT,
  guardSettings,
  withWorkbench,
  startGuard,
  startOrigin,
  type Workbench,
} from './measure/workbench.ts';

const CORES = 2;
const OWN_ONE = 'answered by guard, one worker';
const OWN_TWO = 'answered by guard, two workers';
const FORWARDED_ONE = 'forwarded, one worker';
const FORWARDED_TWO = 'forwarded, two workers';
const NAMES = [OWN_ONE, OWN_TWO, FORWARDED_ONE, FORWARDED_TWO] as const;

const BLOCKED_PATH = '/blocked';
/** The block has status 200, because for the load any other status is an error. */
const BLOCK = {
  name: 'blocked',
  match: { path: BLOCKED_PATH },
  verdict: 'block',
  status: 200,
} as const;

interface Target extends Traffic {
  readonly name: string;
  readonly pid: number;
  readonly originPid: number;
  readonly core: Core;
}

interface Sample {
  readonly requestsPerS: number;
  /** The CPU time of all threads and child processes, including the database. */
  readonly cpuUs: number;
  /** The CPU time of the busiest thread, divided by the number of requests of all threads. */
  readonly busiestThreadUs: number;
  /** The share of the busiest thread in the work of the two busiest threads. */
  readonly busiestShare: number;
  /** The number of cores that Guard kept busy, and the number that load and origin kept busy. */
  readonly guardCores: number;
  readonly otherCores: number;
}

export function bench(options: BenchOptions): Promise<Report> {
  return withWorkbench(async (workbench) => {
    const targets = await startTargets(workbench);
    for (const target of targets) {
      options.onProgress(`warming: ${target.name}`);
      await loadBeside(target, { ...options, seconds: WARM_SECONDS });
    }
    const samples = await runInRounds(targets, options, (target) => measure(target, options));
    const goals = [
      ...goalsOf('answered by guard', samples, [OWN_TWO, OWN_ONE]),
      ...goalsOf('forwarded', samples, [FORWARDED_TWO, FORWARDED_ONE]),
    ];
    const body = NAMES.map((name) => {
      const medianOfSamples = (read: (sample: Sample) => number) => medianOf(samples, name, read);
      return [
        name,
        medianOfSamples((s) => s.requestsPerS).toFixed(0),
        medianOfSamples((s) => s.cpuUs).toFixed(1),
        medianOfSamples((s) => s.busiestThreadUs).toFixed(1),
        `${(100 * medianOfSamples((s) => s.busiestShare)).toFixed(0)} %`,
        medianOfSamples((s) => s.guardCores).toFixed(2),
        medianOfSamples((s) => s.otherCores).toFixed(2),
      ];
    });
    return {
      rows: [...samples].map(([name, rounds]) => ({ name, rounds })),
      table: `${toTable(HEAD, body)}\n\n${goalsTable(goals)}`,
      notes: [...NOTES, `${options.connections} connections, keep-alive; 1 KiB from the origin`],
    };
  });
}

const HEAD = [
  'situation',
  'requests/s',
  'CPU us/request',
  'of it busiest thread',
  'its share',
  "guard's cores",
  "others' cores",
];

const NOTES = [
  'one worker: Guard, its database, load and origin all on one core; two workers: all of them on both cores',
  loadedBy,
  warmNote,
  'answered by guard: a rule blocks, and the origin is not asked; every decision is made and recorded',
  "CPU is the run time of all of Guard's threads and of the database; its share: the part of the busiest thread in the work of the two busiest; others: load and origin",
  'requests/s is the measured figure; load and origin use the second core too, so their part of the work scales by itself',
  'by CPU is computed for Guard alone: twice the cost of a request with one worker, divided by its cost with two, or less when the busiest thread would fill its core earlier',
];

async function startTargets(workbench: Workbench): Promise<readonly Target[]> {
  const oneWorker = await startSituation(workbench, 1, 1);
  const twoWorkers = await startSituation(workbench, CORES, 'both');
  return [
    { ...oneWorker, name: OWN_ONE, path: BLOCKED_PATH },
    { ...twoWorkers, name: OWN_TWO, path: BLOCKED_PATH },
    { ...oneWorker, name: FORWARDED_ONE, path: '/' },
    { ...twoWorkers, name: FORWARDED_TWO, path: '/' },
  ];
}

async function startSituation(workbench: Workbench, workers: number, core: Core) {
  const { line, pid: originPid } = await startOrigin(workbench, { core });
  const name = `workers-${workers}`;
  const settings = guardSettings(name, line, { rules: [BLOCK, ...DETECT], top: { workers } });
  const { url, pid } = await startGuard(workbench, name, settings, core);
  return { url, pid, originPid, core, headers: await headersOfReturning(url) };
}

/** Makes the load on the cores of the target. */
function loadBeside(target: Target, options: LoadOptions): Promise<LoadResult> {
  pinToCore(target.core);
  return load(target, options);
}

async function measure(target: Target, options: LoadOptions): Promise<Sample> {
  const lookBefore = readUsage(target);
  const { requests, seconds } = await loadBeside(target, options);
  const lookAfter = readUsage(target);
  const cpuUs = lookAfter.guardUs - lookBefore.guardUs;
  const [busiest = 0, second = 0] = [...lookAfter.threadsUs]
    .map(([thread, us]) => us - (lookBefore.threadsUs.get(thread) ?? 0))
    .sort((a, b) => b - a);
  return {
    requestsPerS: requests / seconds,
    cpuUs: cpuUs / requests,
    busiestThreadUs: busiest / requests,
    busiestShare: busiest / (busiest + second),
    guardCores: cpuUs / 1e6 / seconds,
    otherCores: (lookAfter.otherUs - lookBefore.otherUs) / 1e6 / seconds,
  };
}

function readUsage({ pid, originPid }: Target) {
  const { ownUs, childrenUs } = cpuTime(pid);
  const otherUs = cpuTimeHereUs() + cpuTime(originPid).ownUs;
  return { guardUs: ownUs + childrenUs, threadsUs: threadTimesUs(pid), otherUs };
}

/** The ratio of two workers on two cores to one worker on one core, computed from the CPU time of a request. */
function scaling(two: Sample, one: Sample): number {
  const fullCpuUs = Math.max(two.cpuUs / CORES, two.busiestThreadUs);
  return one.cpuUs / fullCpuUs;
}

function goalsOf(
  subject: string,
  samples: Samples<Sample>,
  pair: readonly [string, string],
): Goal[] {
  const rate = pairedRatio(samples, pair, (two, one) => two.requestsPerS / one.requestsPerS);
  return [
    atLeast(`${subject}: requests/s`, 1.7, rate),
    atLeast(`${subject}: by CPU`, 1.7, pairedRatio(samples, pair, scaling)),
  ];
}
