/**
 * Keeps half of the full load for minutes. During this time the settings are reloaded, origins and the database are
 * killed and started again, and clients abort requests. The bench checks that memory does not grow, and that every
 * answer is right.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { childrenOf } from '../../test/kit/children.ts';
import { atLeast, atMost, goalsTable, isMet } from '../measure/goals.ts';
import { load, loadedBy } from '../measure/load.ts';
import { placement } from '../measure/processes.ts';
import { type BenchOptions, type Report, toTable } from '../measure/report.ts';
import { openFiles, residentMiB } from '../measure/resident-memory.ts';
import { headersOfReturning } from '../visitors.ts';
import {
  DETECT,
  guardSettings,
  withWorkbench,
  startGuard,
  type StartedGuard,
} from '../measure/workbench.ts';
import { abort } from './aborts.ts';
import { type MemoryGrowth, memoryGrowth, type MemorySample } from './memory-growth.ts';
import { type Origins, startOrigins } from './origins.ts';
import { createTally, type Tally } from './tally.ts';
import { visit } from './visitors.ts';

const RELOAD_EVERY_MS = 10_000;
const KILL_EVERY_MS = 20_000;
const KILL_DATABASE_EVERY_MS = 100_000;
const LOOK_EVERY_MS = 1000;
const SMALL_ANSWER = '/known/2';

export function bench(options: BenchOptions): Promise<Report> {
  return withWorkbench(async (workbench) => {
    const origins = await startOrigins(workbench, 2);
    const settings = (turn: number) => guardSettings('guard', origins.urls, { rules: rules(turn) });
    const guard = await startGuard(workbench, 'guard', settings(0));
    const requestsPerS = (await fullLoad(guard.url, options)) / 2;

    const tally = createTally();
    const startedAtMs = performance.now();
    const totalMs = options.minutes * 60_000;
    const untilMs = startedAtMs + totalMs;
    const { url, pid } = guard;
    const [memory] = await Promise.all([
      lookAt(pid, untilMs, (atMs) => {
        const progress = `${(atMs / 60_000).toFixed(1)} of ${options.minutes} minutes`;
        options.onProgress(`${progress}: ${tally.right} right, ${tally.wrong} wrong`);
      }),
      visit({ url, origins, tally, requestsPerS, untilMs }),
      abort(url, tally, untilMs),
      reload(guard, settings, tally, untilMs),
      kill(origins, tally, untilMs),
      killDatabase(pid, tally, untilMs),
    ]);
    const refusedReloads = await reloadsRefused(guard);
    for (let n = 0; n < refusedReloads; n++)
      tally.add({ kind: 'wrong', how: 'a reload was refused' });
    return reportOf(tally, memoryGrowth(memory, totalMs), requestsPerS, totalMs);
  });
}

/** Each reload changes the settings: a rule is added or removed. */
function rules(turn: number): readonly unknown[] {
  const turnRule = { name: `turn ${turn}`, match: { path: `/never/${turn}` }, verdict: 'block' };
  return [turnRule, ...DETECT];
}

async function fullLoad(url: string, { connections, onProgress }: BenchOptions): Promise<number> {
  onProgress('measuring full load');
  const traffic = {
    url,
    path: SMALL_ANSWER,
    headers: await headersOfReturning(url + SMALL_ANSWER),
  };
  await load(traffic, { connections, seconds: 2 });
  const { requests, seconds } = await load(traffic, { connections, seconds: 3 });
  return requests / seconds;
}

async function lookAt(
  pid: number,
  untilMs: number,
  onLook: (atMs: number) => void,
): Promise<readonly MemorySample[]> {
  const startedAtMs = performance.now();
  const samples: MemorySample[] = [];
  while (performance.now() < untilMs) {
    const atMs = performance.now() - startedAtMs;
    samples.push({ atMs, residentMiB: residentMiB(pid), openFiles: openFiles(pid) });
    onLook(atMs);
    await sleep(LOOK_EVERY_MS);
  }
  return samples;
}

async function reload(
  { file, pid }: StartedGuard,
  settings: (turn: number) => Readonly<Record<string, unknown>>,
  tally: Tally,
  untilMs: number,
): Promise<void> {
  for (let turn = 1; performance.now() + RELOAD_EVERY_MS < untilMs; turn++) {
    await sleep(RELOAD_EVERY_MS);
    writeFileSync(file, stringify(settings(turn)));
    process.kill(pid, 'SIGHUP');
    tally.note('reloads asked for');
  }
}

async function kill(origins: Origins, tally: Tally, untilMs: number): Promise<void> {
  while (performance.now() + KILL_EVERY_MS / 2 < untilMs) {
    await sleep(KILL_EVERY_MS / 2);
    tally.note('origins killed');
    await origins.killOne();
    await sleep(KILL_EVERY_MS / 2);
  }
}

async function killDatabase(guard: number, tally: Tally, untilMs: number): Promise<void> {
  while (performance.now() + KILL_DATABASE_EVERY_MS / 2 < untilMs) {
    await sleep(KILL_DATABASE_EVERY_MS / 2);
    for (const pid of childrenOf(guard)) process.kill(pid, 'SIGKILL');
    tally.note('databases killed');
    await sleep(KILL_DATABASE_EVERY_MS / 2);
  }
}

async function reloadsRefused({ addresses }: StartedGuard): Promise<number> {
  const page = await (await fetch(`${addresses.admin}/metrics`)).text();
  return Number(/^guard_reloads_total\{outcome="refused"\} (\d+)$/m.exec(page)?.[1] ?? 0);
}

function reportOf(tally: Tally, memory: MemoryGrowth, aimedPerS: number, totalMs: number): Report {
  const { base, last, share } = memory;
  const counts = [...tally.counts].map(([what, count]) => [what, count.toLocaleString('en')]);
  const grown = [
    ['resident MiB', base.residentMiB.toFixed(0), last.residentMiB.toFixed(0)],
    ['open files', base.openFiles.toFixed(0), last.openFiles.toFixed(0)],
  ];
  const goals = [
    atMost('growth of resident memory', 10, 100 * share, '%'),
    atMost('wrong answers', 0, tally.wrong, ''),
    atLeast('right answers', 1, tally.right, ''),
  ];
  const tables = [
    toTable(['what happened', 'times'], counts),
    toTable(['the gateway', 'base', 'at the end'], grown),
    goalsTable(goals),
  ];
  return {
    rows: [{ ...memory, counts: Object.fromEntries(tally.counts) }],
    table: tables.join('\n\n'),
    failed: goals.some((goal) => isMet(goal) === false),
    notes: [
      placement,
      `${(totalMs / 60_000).toFixed(1)} minutes at ${((1000 * tally.right) / totalMs).toFixed(0)} requests/s, where half load is ${aimedPerS.toFixed(0)} (full load was measured before, ${loadedBy}); 1,000 visitors, answers of 1 to 100 KB, one request in ten an upload of the same`,
      `a reload every ${RELOAD_EVERY_MS / 1000} s; one of two origins killed every ${KILL_EVERY_MS / 1000} s, and away for 3 s; an error counts as wrong unless an origin is away or has been back for less than 5 s; the database killed every ${KILL_DATABASE_EVERY_MS / 1000} s`,
      'memory and files of the process without the database, as medians: base is the second minute, the end is the last one (quarters in a soak of less than four minutes)',
    ],
  };
}
