/**
 * Measures the latency that the gateway adds to the 99th percentile at half of its full load. Many connections send
 * requests at random times, and do not wait for the answers on other connections. The origin alone gets the same rate
 * of requests. The result depends on which processes share a core, so there is a row for each placement.
 */
import { atMost, goalsTable } from './measure/goals.ts';
import { load, loadedBy, WARM_SECONDS, warmNote } from './measure/load.ts';
import { PEERS, startPeers } from './peers/start-peers.ts';
import { type Core, placement } from './measure/processes.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { runInRounds, medianOf, pairedRatio } from './measure/rounds.ts';
import type { LoadResult } from './measure/traffic.ts';
import { measureAlone, standStillNote } from './measure/stand-still.ts';
import { headersOfReturning } from './visitors.ts';
import { guardSettings, withWorkbench, startGuard, startOrigin } from './measure/workbench.ts';

const DIRECT = 'direct to the origin';
const WITHOUT_RECORDS = 'guard, none recorded';
const SAME_CORE = 'guard and its database on one core';
const EITHER_CORE = 'guard and its database on either core';
/** The number of connections. With so many of them, a slow answer delays only one of the next 256 requests. */
const VISITORS = 256;

export function bench(options: BenchOptions): Promise<Report> {
  return withWorkbench(async (workbench) => {
    const origin = await startOrigin(workbench);
    const start = (name: string, core: Core, changes?: Parameters<typeof guardSettings>[2]) =>
      startGuard(workbench, name, guardSettings(name, origin.line, changes), core);
    const guardWithoutRecords = await start('unrecorded', 1, { top: { analytics: undefined } });
    const guardOnSameCore = await start('beside', 1);
    const guardOnEitherCore = await start('apart', 'both');
    // All Guards have the same secret, so each of them accepts the session.
    const common = {
      path: '/',
      headers: await headersOfReturning(guardOnSameCore.url),
      recorded: false,
    };
    const peers = await startPeers(workbench, origin.line, [PEERS.nginx, PEERS.nginxAuth]);
    const targets = [
      { ...common, name: DIRECT, url: origin.line, pids: [origin.pid] },
      ...peers.flatMap((peer) => (peer.kind === 'started' ? [{ ...common, ...peer }] : [])),
      {
        ...common,
        name: WITHOUT_RECORDS,
        url: guardWithoutRecords.url,
        pids: [guardWithoutRecords.pid],
      },
      {
        ...common,
        name: SAME_CORE,
        url: guardOnSameCore.url,
        pids: [guardOnSameCore.pid],
        recorded: true,
      },
      {
        ...common,
        name: EITHER_CORE,
        url: guardOnEitherCore.url,
        pids: [guardOnEitherCore.pid],
        recorded: true,
      },
    ];
    options.onProgress('warming');
    for (const target of targets) await load(target, { ...options, seconds: WARM_SECONDS });
    options.onProgress('measuring full load');
    const full = await load({ ...common, url: guardOnSameCore.url }, options);
    const fullRate = full.requests / full.seconds;
    const pauseMs = (1000 * VISITORS) / (fullRate / 2);
    const samples = await runInRounds(targets, options, (target) => {
      const halfLoad = { ...options, connections: VISITORS, pauseMs };
      return measureAlone(target, targets, async () => {
        // Between its rounds a target is idle, and its garbage collector runs.
        await load(target, { ...halfLoad, seconds: 1 });
        return load(target, halfLoad);
      });
    });
    const addedUs = (name: string) =>
      pairedRatio(samples, [name, DIRECT], (a, b) => (a.p99Us - b.p99Us) / 1000);
    const body = targets.map(({ name }) => {
      const medianOfSamples = (read: (sample: LoadResult) => number) =>
        medianOf(samples, name, read);
      return [
        name,
        medianOfSamples((s) => s.requests / s.seconds).toFixed(0),
        medianOfSamples((s) => s.p50Us).toFixed(0),
        medianOfSamples((s) => s.p99Us).toFixed(0),
        addedUs(name)?.toFixed(2) ?? '',
      ];
    });
    const p99Of = (other: string) =>
      pairedRatio(samples, [SAME_CORE, other], (a, b) => a.p99Us / b.p99Us);
    const overNginx = (name: string) =>
      pairedRatio(samples, [name, PEERS.nginx], (a, b) => (a.p99Us - b.p99Us) / 1000);
    const goals = [
      atMost('the 99th percentile on one core, of nginx auth_request', 1, p99Of(PEERS.nginxAuth)),
      ...[WITHOUT_RECORDS, EITHER_CORE].map((name) =>
        atMost(`the 99th percentile above that of nginx: ${name}`, 2, overNginx(name), 'ms'),
      ),
    ];
    return {
      rows: [...samples].map(([name, rounds]) => ({ name, rounds })),
      table: `${toTable(['target', 'requests/s', 'p50 us', 'p99 us', 'added to p99, ms'], body)}\n\n${goalsTable(goals)}`,
      notes: [
        placement,
        'on one core, Guard shares it with its compiler, its garbage collector and the database, as on a machine with one core; on either core, they run where there is room, here beside load and origin',
        loadedBy,
        warmNote,
        'before each round, one second of the same load is not counted',
        standStillNote,
        `full load was ${fullRate.toFixed(0)} requests/s at ${options.connections} connections; half of it by ${VISITORS} connections with exponential pauses; 1 KiB answers`,
      ],
    };
  });
}
