/**
 * Measures the cost of the gateway for small answers: requests a second, and CPU time for each request. The targets are
 * the origin alone, other products, Guard's gateway without protection, and Guard's gateway with every decision made
 * and recorded. The CPU time includes all processes of a target, also the database.
 */
import { loadedBy, load, WARM_SECONDS, warmNote } from './measure/load.ts';
import { atLeast, atMost, type Goal, goalsTable } from './measure/goals.ts';
import { measureTarget, type Sample, type Target } from './measure/measure-target.ts';
import { type Peer, PEERS, startPeers } from './peers/start-peers.ts';
import { placement } from './measure/processes.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { runInRounds, medianOf, pairedRatio, type Samples } from './measure/rounds.ts';
import { measureAlone, standStillNote } from './measure/stand-still.ts';
import { browser, expectRefusal, headersOfReturning } from './visitors.ts';
import {
  guardSettings,
  withWorkbench,
  startGuard,
  startOrigin,
  type Workbench,
} from './measure/workbench.ts';

const DIRECT = 'direct to the origin';
const OPEN = 'guard, unprotected';
const WITHOUT_RECORDS = 'guard, every decision made, none recorded';
const FULL = 'guard, every decision made and recorded';
const NEW_FIELDS = 'the same guard, an id in each request';

/** The targets that decide about every request, so they refuse a script. */
const DECIDING: readonly string[] = [PEERS.nginxAuth, PEERS.caddyAuth, WITHOUT_RECORDS, FULL];

/** Starts every target, loads them in turns, and returns the medians. */
export function bench(options: BenchOptions): Promise<Report> {
  return withWorkbench(async (workbench) => {
    const { targets, peers } = await startTargets(workbench);
    for (const target of targets) {
      options.onProgress(`warming ${target.name}`);
      await load(target, { ...options, seconds: WARM_SECONDS });
    }
    const samples = await runInRounds(targets, options, (target) =>
      measureAlone(target, targets, () => measureTarget(target, options)),
    );
    const goals = goalsOf(samples);
    const absent = peers.flatMap((peer) => (peer.kind === 'not installed' ? [peer.name] : []));
    return {
      rows: [...samples].map(([name, rounds]) => ({ name, rounds })),
      table: `${tableOf(samples, absent)}\n\n${goalsTable(goals)}`,
      notes: [...NOTES, `${options.connections} connections, keep-alive; 1 KiB answers`],
    };
  });
}

const NOTES = [
  placement,
  loadedBy,
  warmNote,
  'the 17 header fields of Chrome on https behind a load balancer, the session among them',
  'an id in each request, as some proxies in front add one: then no header section comes twice',
  standStillNote,
  'ratios are medians of the ratios of each round',
  'CPU is the run time of all threads and children of a target, with the database for Guard, and with the Node service for auth_request and forward_auth',
  'busy: the share of its core that a target used; when it is well below 100 %, load or origin were the bottleneck, and requests/s is too low',
  'the Node service is plain node:http with our validator in process; it records nothing, so it does less than Guard and is cheaper than listen.forward_auth',
];

async function startTargets(
  workbench: Workbench,
): Promise<{ readonly targets: Target[]; readonly peers: readonly Peer[] }> {
  const origin = await startOrigin(workbench);
  const open = await startGuard(
    workbench,
    'open',
    guardSettings('open', origin.line, { site: { protect: [] } }),
  );
  const guardWithoutRecords = await startGuard(
    workbench,
    'unrecorded',
    guardSettings('unrecorded', origin.line, { top: { analytics: undefined } }),
  );
  const fullGuard = await startGuard(workbench, 'full', guardSettings('full', origin.line));
  // All targets that decide have the same secret, so each of them accepts this session.
  const common = {
    path: '/',
    headers: await headersOfReturning(fullGuard.url, browser),
    recorded: false,
  };
  const peers = await startPeers(workbench, origin.line, Object.values(PEERS));
  const targets = [
    { ...common, name: DIRECT, url: origin.line, pids: [origin.pid] },
    ...peers.flatMap((peer) => (peer.kind === 'started' ? [{ ...common, ...peer }] : [])),
    { ...common, name: OPEN, url: open.url, pids: [open.pid], recorded: true },
    {
      ...common,
      name: WITHOUT_RECORDS,
      url: guardWithoutRecords.url,
      pids: [guardWithoutRecords.pid],
    },
    { ...common, name: FULL, url: fullGuard.url, pids: [fullGuard.pid], recorded: true },
    {
      ...common,
      ...{ name: NEW_FIELDS, url: fullGuard.url, pids: [fullGuard.pid], recorded: true },
      headers: { ...common.headers, 'x-request-id': '00f067aa0ba902b7{number}' },
    },
  ];
  for (const { name, url } of targets) {
    if (DECIDING.includes(name)) await expectRefusal(url);
  }
  return { targets, peers };
}

function goalsOf(samples: Samples<Sample>): Goal[] {
  const cpu = (other: string, one: string = FULL) =>
    pairedRatio(samples, [one, other], (a, b) => a.cpuUs / b.cpuUs);
  const rate = (other: string) =>
    pairedRatio(samples, [FULL, other], (a, b) => a.requestsPerS / b.requestsPerS);
  return [
    atMost('CPU, of http-proxy-3', 0.6, cpu(PEERS.httpProxy3)),
    atMost('CPU, of guard unprotected', 1.1, cpu(OPEN)),
    atMost('CPU, of plain nginx', 1.7, cpu(PEERS.nginx)),
    atMost('CPU with an id in each request, of plain nginx', 1.9, cpu(PEERS.nginx, NEW_FIELDS)),
    atLeast('requests/s, of guard that records nothing', 0.9, rate(WITHOUT_RECORDS)),
    atLeast('requests/s, of nginx auth_request', 1.6, rate(PEERS.nginxAuth)),
    atLeast('requests/s, of Caddy forward_auth', 2, rate(PEERS.caddyAuth)),
  ];
}

function tableOf(samples: Samples<Sample>, absent: readonly string[]): string {
  const head = [
    'target',
    'requests/s',
    'CPU us/request',
    'of it database',
    'busy',
    'guard/it requests/s',
    'guard/it CPU',
    'p50 us',
    'p99 us',
  ];
  const body = [...samples.keys()].map((name) => {
    const medianOfSamples = (read: (sample: Sample) => number) => medianOf(samples, name, read);
    const ratio = (read: (sample: Sample) => number) =>
      pairedRatio(samples, [FULL, name], (a, b) => read(a) / read(b))?.toFixed(2) ?? '';
    return [
      name,
      medianOfSamples((s) => s.requestsPerS).toFixed(0),
      medianOfSamples((s) => s.cpuUs).toFixed(1),
      medianOfSamples((s) => s.databaseUs).toFixed(1),
      `${(100 * medianOfSamples((s) => s.busy)).toFixed(0)} %`,
      ratio((s) => s.requestsPerS),
      ratio((s) => s.cpuUs),
      medianOfSamples((s) => s.p50Us).toFixed(0),
      medianOfSamples((s) => s.p99Us).toFixed(0),
    ];
  });
  return toTable(head, [...body, ...absent.map((name) => [name, 'not installed'])]);
}
