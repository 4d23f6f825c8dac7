/**
 * The latency that the gateway adds to the 99th percentile at half of its full load. Many connections send requests at
 * random times, without waiting for the answers to others. The origin alone gets the same rate. The result depends on
 * which processes share a core, so there is a row for each placement.
 */
import { atMost, goalsTable } from './goals.ts';
import { load, loadedBy, WARM_SECONDS, warmNote } from './load.ts';
import { PEERS, startPeers } from './peers/start-peers.ts';
import { type Core, placement } from './processes.ts';
import { type BenchOptions, type Report, toTable } from './report.ts';
import { inRounds, medianOf, paired } from './rounds.ts';
import type { LoadResult } from './traffic.ts';
import { alone, standStillNote } from './stand-still.ts';
import { returning } from './visitors.ts';
import { guardSettings, withWorkbench, startGuard, startOrigin } from './workbench.ts';

const DIRECT = 'direct to the origin';
const UNRECORDED = 'guard, none recorded';
const BESIDE = 'guard and its database on one core';
const APART = 'guard and its database on either core';
/** With so many connections, a slow answer delays only one in 256 of the next requests. */
const VISITORS = 256;

export function bench(options: BenchOptions): Promise<Report> {
  return withWorkbench(async (workbench) => {
    const origin = await startOrigin(workbench);
    const start = (name: string, core: Core, over?: Parameters<typeof guardSettings>[2]) =>
      startGuard(workbench, name, guardSettings(name, origin.line, over), core);
    const unrecorded = await start('unrecorded', 1, { top: { analytics: undefined } });
    const beside = await start('beside', 1);
    const apart = await start('apart', 'both');
    // All Guards have the same secret, so each of them accepts the session.
    const common = { path: '/', headers: await returning(beside.url), recorded: false };
    const peers = await startPeers(workbench, origin.line, [PEERS.nginx, PEERS.nginxAuth]);
    const targets = [
      { ...common, name: DIRECT, url: origin.line, pids: [origin.pid] },
      ...peers.flatMap((peer) => (peer.kind === 'started' ? [{ ...common, ...peer }] : [])),
      { ...common, name: UNRECORDED, url: unrecorded.url, pids: [unrecorded.pid] },
      { ...common, name: BESIDE, url: beside.url, pids: [beside.pid], recorded: true },
      { ...common, name: APART, url: apart.url, pids: [apart.pid], recorded: true },
    ];
    options.onProgress('warming');
    for (const target of targets) await load(target, { ...options, seconds: WARM_SECONDS });
    options.onProgress('measuring full load');
    const full = await load({ ...common, url: beside.url }, options);
    const fullRate = full.requests / full.seconds;
    const pauseMs = (1000 * VISITORS) / (fullRate / 2);
    const samples = await inRounds(targets, options, (target) => {
      const half = { ...options, connections: VISITORS, pauseMs };
      return alone(target, targets, async () => {
        // Between its rounds a target is idle, and its garbage collector runs.
        await load(target, { ...half, seconds: 1 });
        return load(target, half);
      });
    });
    const added = (name: string) =>
      paired(samples, [name, DIRECT], (a, b) => (a.p99Us - b.p99Us) / 1000);
    const body = targets.map(({ name }) => {
      const of = (read: (sample: LoadResult) => number) => medianOf(samples, name, read);
      return [
        name,
        of((s) => s.requests / s.seconds).toFixed(0),
        of((s) => s.p50Us).toFixed(0),
        of((s) => s.p99Us).toFixed(0),
        added(name)?.toFixed(2) ?? '',
      ];
    });
    const p99Of = (other: string) => paired(samples, [BESIDE, other], (a, b) => a.p99Us / b.p99Us);
    const overNginx = (name: string) =>
      paired(samples, [name, PEERS.nginx], (a, b) => (a.p99Us - b.p99Us) / 1000);
    const goals = [
      atMost('the 99th percentile on one core, of nginx auth_request', 1, p99Of(PEERS.nginxAuth)),
      ...[UNRECORDED, APART].map((name) =>
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
