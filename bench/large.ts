/** What the gateway does with answers of 100 KiB, held against plain nginx and HAProxy. */
import { goalsTable } from './goals.ts';
import { load, loadedBy, WARM_SECONDS, warmNote } from './load.ts';
import { measureTarget, type Sample } from './measure-target.ts';
import { PEERS, startPeers } from './peers/start-peers.ts';
import { placement } from './processes.ts';
import { type BenchOptions, type Report, toTable } from './report.ts';
import { inRounds, medianOf, paired } from './rounds.ts';
import { returning } from './visitors.ts';
import { guardSettings, onWorkbench, startGuard, startOrigin } from './workbench.ts';

const GUARD = 'guard, every decision made and recorded';
const KIB = 100;

export function bench(options: BenchOptions): Promise<Report> {
  return onWorkbench(async (workbench) => {
    const origin = await startOrigin(workbench);
    const guard = await startGuard(workbench, 'guard', guardSettings('guard', origin.line));
    const common = {
      path: `/bytes/${KIB * 1024}`,
      headers: await returning(guard.url),
      recorded: false,
    };
    const peers = await startPeers(workbench, origin.line, [PEERS.nginx, PEERS.haproxy]);
    const targets = [
      { ...common, name: 'direct to the origin', url: origin.line, pids: [origin.pid] },
      ...peers.flatMap((peer) => (peer.kind === 'started' ? [{ ...common, ...peer }] : [])),
      { ...common, name: GUARD, url: guard.url, pids: [guard.pid], recorded: true },
    ];
    for (const target of targets) await load(target, { ...options, seconds: WARM_SECONDS });
    const samples = await inRounds(targets, options, (target) => measureTarget(target, options));
    const body = [...samples.keys()].map((name) => {
      const of = (read: (sample: Sample) => number) => medianOf(samples, name, read);
      return [
        name,
        of((s) => s.requestsPerS).toFixed(0),
        of((s) => (s.requestsPerS * KIB) / 1024).toFixed(0),
        of((s) => s.cpuUs).toFixed(1),
        `${(100 * of((s) => s.busy)).toFixed(0)} %`,
        of((s) => s.p99Us).toFixed(0),
      ];
    });
    const absent = peers.flatMap((peer) =>
      peer.kind === 'not installed' ? [[peer.name, 'not installed']] : [],
    );
    const head = ['target', 'requests/s', 'MiB/s', 'CPU us/request', 'busy', 'p99 us'];
    const pair = [GUARD, PEERS.nginx] as const;
    const goals = [
      {
        name: 'throughput, of plain nginx',
        measured: paired(samples, pair, (a, b) => a.requestsPerS / b.requestsPerS),
        bound: { atLeast: 0.8 },
        unit: '×',
      },
      {
        name: 'the same, by requests a CPU second',
        measured: paired(samples, pair, (a, b) => b.cpuUs / a.cpuUs),
        bound: { atLeast: 0.8 },
        unit: '×',
      },
    ];
    return {
      rows: [...samples].map(([name, rounds]) => ({ name, rounds })),
      table: `${toTable(head, [...body, ...absent])}\n\n${goalsTable(goals)}`,
      notes: [
        placement,
        loadedBy,
        warmNote,
        `${options.connections} connections, keep-alive; ${KIB} KiB answers`,
        'busy: well below 100 %, load or origin were the bottleneck: the second ratio is then the one to read',
        'nginx with buffers in memory only, and no log',
      ],
    };
  });
}
