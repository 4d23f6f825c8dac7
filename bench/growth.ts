/**
 * Compares the costs of a large installation with those of a small one: the time of a start and of a reload, the time
 * that a request waits during a reload, memory, and the CPU time of a decision.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { decisionsUs } from './growth-decision.ts';
import { hostOf, LARGE, settingsText, type Size, SMALL, writeList } from './growth-settings.ts';
import { atMost, goalsTable } from './measure/goals.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { residentMiB } from './measure/resident-memory.ts';
import { runInRounds, medianOf } from './measure/rounds.ts';
import { browser, type Headers, headersOfReturning } from './visitors.ts';
import { withWorkbench, startGuardFrom, startOrigin, type Workbench } from './measure/workbench.ts';

interface Target {
  readonly name: string;
  readonly size: Size;
}

/** The measurements of one start and of the reloads after it. */
interface Sample {
  readonly startMs: number;
  readonly reloadMs: number;
  /** The slowest request without a reload. This measurement is as long as that during the reloads. */
  readonly quietMs: number;
  /** The slowest request during the reloads. */
  readonly waitMs: number;
  readonly startedMiB: number;
  readonly reloadedMiB: number;
}

const TARGETS: readonly Target[] = [
  { name: 'small', size: SMALL },
  { name: 'large', size: LARGE },
];
const RELOADS = 3;
const REQUEST_EVERY_MS = 2;

const NOTES = [
  `large: ${LARGE.sites.toLocaleString('en')} sites, as many organisations, ${LARGE.rules.toLocaleString('en')} rules (the first organisation has half of them), and a list of ${LARGE.networks.toLocaleString('en')} networks that all organisations block; small: 1, 1, ${SMALL.rules} and ${SMALL.networks}`,
  'a start lasts from the start of the process to the line `ready`, with the embedded database; a reload lasts from the signal to the line in the log',
  `a request waits: the slowest of one every ${REQUEST_EVERY_MS} ms to the first site; medians of the rounds with ${RELOADS} reloads each; the origin, the load and Guard share both cores`,
  'memory of the process, without the database',
  'a decision: in process, for a warm visitor, as medians of alternating batches; here one organisation has all 10,000 rules',
];

export async function bench(options: BenchOptions): Promise<Report> {
  const decisions = decisionsUs(options);
  const samples = await runInRounds(TARGETS, options, ({ name, size }, round) =>
    withWorkbench((workbench) => measure(workbench, `${name}-${round}`, size), 'both'),
  );
  const medianOfSamples = (name: string, read: (sample: Sample) => number) =>
    medianOf(samples, name, read);
  const rows = TARGETS.map(({ name }) => ({
    name,
    startMs: medianOfSamples(name, ({ startMs }) => startMs),
    reloadMs: medianOfSamples(name, ({ reloadMs }) => reloadMs),
    waitMs: medianOfSamples(name, ({ waitMs }) => waitMs),
    quietMs: medianOfSamples(name, ({ quietMs }) => quietMs),
    startedMiB: medianOfSamples(name, ({ startedMiB }) => startedMiB),
    reloadedMiB: medianOfSamples(name, ({ reloadedMiB }) => reloadedMiB),
    decisionUs: name === 'small' ? decisions.small : decisions.large,
  }));
  const largeRow = rows[1];
  const goals = [
    atMost('start', 3_000, largeRow?.startMs, 'ms'),
    atMost('reload', 1_000, largeRow?.reloadMs, 'ms'),
    atMost('the slowest request during a reload', 20, largeRow?.waitMs, 'ms'),
    atMost('a decision, of one with 20 rules', 1.3, decisions.large / decisions.small),
  ];
  const head = [
    'installation',
    'start ms',
    'reload ms',
    'slowest ms',
    'quiet ms',
    'MiB',
    'MiB reloaded',
    'us/decision',
  ];
  const body = rows.map((row) => [
    row.name,
    ...[row.startMs, row.reloadMs, row.waitMs, row.quietMs, row.startedMiB, row.reloadedMiB].map(
      (n) => n.toFixed(0),
    ),
    row.decisionUs.toFixed(2),
  ]);
  return { rows, table: `${toTable(head, body)}\n\n${goalsTable(goals)}`, notes: NOTES };
}

async function measure(workbench: Workbench, name: string, size: Size): Promise<Sample> {
  const origin = await startOrigin(workbench, { core: 'both' });
  const file = join(workbench.folder, `${name}.yaml`);
  writeList(workbench.folder, size);
  writeFileSync(file, settingsText(size, origin.line));
  const startedAt = performance.now();
  const guard = await startGuardFrom(workbench, file, 'both', ['--no-watch']);
  const startMs = performance.now() - startedAt;
  const startedMiB = residentMiB(guard.pid);
  const visitor = await headersOfReturning(guard.url, { ...browser, host: hostOf(0) });
  const trickle = openTrickle(guard.url, visitor);
  // Fills the caches, and lets V8 compile the code.
  await sleep(2_000);
  trickle.takeSlowestMs();
  const reloads: { readonly tookMs: number; readonly waitMs: number }[] = [];
  const quiet: number[] = [];
  for (let turn = 1; turn <= RELOADS; turn++) {
    writeFileSync(file, settingsText(size, origin.line, turn));
    await sleep(500);
    trickle.takeSlowestMs();
    const tookMs = await reload(guard.pid, `${file}.log`, turn);
    const waitMs = trickle.takeSlowestMs();
    await sleep(tookMs);
    quiet.push(trickle.takeSlowestMs());
    reloads.push({ tookMs, waitMs });
  }
  await trickle.close();
  return {
    startMs,
    startedMiB,
    reloadedMiB: residentMiB(guard.pid),
    reloadMs: Math.max(...reloads.map(({ tookMs }) => tookMs)),
    waitMs: Math.max(...reloads.map(({ waitMs }) => waitMs)),
    quietMs: Math.max(...quiet),
  };
}

/** Sends SIGHUP. Resolves when the log says that the settings are in use. */
async function reload(pid: number, logFile: string, turn: number): Promise<number> {
  const signalledAt = performance.now();
  process.kill(pid, 'SIGHUP');
  for (;;) {
    await sleep(5);
    const log = readFileSync(logFile, 'utf8');
    if (log.includes('"reload_refused"')) throw new Error(log.slice(-2_000));
    if (log.split('"reload_applied"').length > turn) return performance.now() - signalledAt;
  }
}

/** Sends a request every few milliseconds, and does not wait for answers. */
function openTrickle(url: string, headers: Headers) {
  const pool = new Pool(url, { connections: 64, pipelining: 1 });
  let slowestMs = 0;
  let failure: unknown;
  const openRequests = new Set<Promise<void>>();
  const askOnce = async () => {
    const sentAt = performance.now();
    const answer = await pool.request({ path: '/', method: 'GET', headers });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
    slowestMs = Math.max(slowestMs, performance.now() - sentAt);
  };
  const timer = setInterval(() => {
    const request = askOnce().catch((error: unknown) => (failure = error));
    const removal = request.then(() => void openRequests.delete(removal));
    openRequests.add(removal);
  }, REQUEST_EVERY_MS);
  return {
    /** The slowest answer since the last call. */
    takeSlowestMs(): number {
      if (failure !== undefined) throw new Error('a request failed', { cause: failure });
      const slowest = slowestMs;
      slowestMs = 0;
      return slowest;
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await Promise.all(openRequests);
      await pool.close();
    },
  };
}
