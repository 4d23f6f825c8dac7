/** Measures the gateway's throughput with answers of 100 KiB and of 10 MiB, compared with plain nginx and HAProxy. */
import { atLeast, atMost, type Goal, goalsTable } from './measure/goals.ts';
import { load, loadedBy, WARM_SECONDS, warmNote } from './measure/load.ts';
import { measureTarget, type Sample, type Target } from './measure/measure-target.ts';
import { PEERS, startPeers } from './peers/start-peers.ts';
import { placement } from './measure/processes.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { runInRounds, medianOf, pairedRatio, type Samples } from './measure/rounds.ts';
import { headersOfReturning } from './visitors.ts';
import { guardSettings, withWorkbench, startGuard, startOrigin } from './measure/workbench.ts';

const GUARD = 'guard, every decision made and recorded';

interface Size {
  readonly name: string;
  readonly kib: number;
}

const SIZES: readonly Size[] = [
  { name: '100 KiB', kib: 100 },
  { name: '10 MiB', kib: 10_240 },
];

/** Measures one target with answers of one size. */
interface Lane extends Target {
  readonly size: Size;
}

export function bench(options: BenchOptions): Promise<Report> {
  return withWorkbench(async (workbench) => {
    const origin = await startOrigin(workbench);
    const guard = await startGuard(workbench, 'guard', guardSettings('guard', origin.line));
    const headers = await headersOfReturning(guard.url);
    const peers = await startPeers(workbench, origin.line, [PEERS.nginx, PEERS.haproxy]);
    const targets = [
      { name: 'direct to the origin', url: origin.line, pids: [origin.pid], recorded: false },
      ...peers.flatMap((peer) => (peer.kind === 'started' ? [{ ...peer, recorded: false }] : [])),
      { name: GUARD, url: guard.url, pids: [guard.pid], recorded: true },
    ];
    const lanes = SIZES.flatMap((size) =>
      targets.map((target): Lane => ({
        ...target,
        name: laneOf(size, target.name),
        size,
        path: `/bytes/${size.kib * 1024}`,
        headers,
      })),
    );
    // The first lanes have each process once.
    for (const lane of lanes.slice(0, targets.length)) {
      options.onProgress(`warming: ${lane.name}`);
      await load(lane, { ...options, seconds: WARM_SECONDS });
    }
    const samples = await runInRounds(lanes, options, (lane) => measureTarget(lane, options));
    const body = lanes.map(({ name, size }) => {
      const medianOfSamples = (read: (sample: Sample) => number) => medianOf(samples, name, read);
      return [
        name,
        medianOfSamples((s) => s.requestsPerS).toFixed(0),
        medianOfSamples((s) => (s.requestsPerS * size.kib) / 1024).toFixed(0),
        medianOfSamples((s) => s.cpuUs).toFixed(1),
        `${(100 * medianOfSamples((s) => s.busy)).toFixed(0)} %`,
        medianOfSamples((s) => s.p99Us).toFixed(0),
      ];
    });
    const absent = peers.flatMap((peer) =>
      peer.kind === 'not installed' ? [[peer.name, 'not installed']] : [],
    );
    const head = ['answers', 'requests/s', 'MiB/s', 'CPU us/request', 'busy', 'p99 us'];
    return {
      rows: [...samples].map(([name, rounds]) => ({ name, rounds })),
      table: `${toTable(head, [...body, ...absent])}\n\n${goalsTable(goalsOf(samples))}`,
      notes: [
        placement,
        loadedBy,
        warmNote,
        `${options.connections} connections, keep-alive`,
        'busy: when it is well below 100 %, load or origin were the bottleneck, and the ratio of CPU is the one to read',
        'nginx has buffers in memory only, and no log',
      ],
    };
  });
}

function laneOf(size: Size, target: string): string {
  return `${size.name}: ${target}`;
}

function goalsOf(samples: Samples<Sample>): Goal[] {
  return SIZES.flatMap((size): Goal[] => {
    const pair = [laneOf(size, GUARD), laneOf(size, PEERS.nginx)] as const;
    return [
      atLeast(
        `${size.name}: throughput, of plain nginx`,
        0.9,
        pairedRatio(samples, pair, (a, b) => a.requestsPerS / b.requestsPerS),
      ),
      atMost(
        `${size.name}: CPU, of plain nginx`,
        1.5,
        pairedRatio(samples, pair, (a, b) => a.cpuUs / b.cpuUs),
      ),
    ];
  });
}
