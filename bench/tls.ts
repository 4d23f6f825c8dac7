/**
 * Measures the cost of the gateway over TLS: requests over HTTP/1.1 and over HTTP/2, and connections for one request
 * each, with a full handshake and with a resumed session. nginx and HAProxy have the same certificate and run in the
 * same rounds.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from '../gateway/src/testing/self-signed.ts';
import { isOnPath } from '../test/kit/tools.ts';
import { connectAnew, HOST, type Negotiated, negotiatedWith } from './connect-anew.ts';
import { atLeast, type Goal, goalsTable } from './measure/goals.ts';
import { h2load, STREAMS } from './measure/h2load.ts';
import { WARM_SECONDS, warmNote } from './measure/load.ts';
import { measureTarget, type Sample, type Target } from './measure/measure-target.ts';
import type { TlsFiles } from './peers/places.ts';
import { PEERS, startPeers } from './peers/start-peers.ts';
import { placement } from './measure/processes.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { runInRounds, medianOf, pairedRatio, type Samples } from './measure/rounds.ts';
import { measureAlone, standStillNote } from './measure/stand-still.ts';
import type { LoadOptions, LoadResult, Traffic } from './measure/traffic.ts';
import { headersOfReturning } from './visitors.ts';
import {
  guardSettings,
  withWorkbench,
  startGuard,
  startOrigin,
  type Workbench,
} from './measure/workbench.ts';
import { wrk } from './measure/wrk.ts';

const GUARD = 'guard, every decision made and recorded';

interface Way {
  readonly name: string;
  readonly drive: (traffic: Traffic, options: LoadOptions) => Promise<LoadResult>;
  /** The goal, as a ratio to the figure of nginx. Undefined when there is no goal. */
  readonly wanted: number | undefined;
}

const WAYS: readonly Way[] = [
  { name: 'HTTP/1.1', drive: wrk, wanted: 0.75 },
  { name: 'HTTP/2', drive: h2load, wanted: 0.65 },
  {
    name: 'full handshakes',
    drive: (traffic, options) => connectAnew(traffic, options, false),
    wanted: undefined,
  },
  {
    name: 'resumed handshakes',
    drive: (traffic, options) => connectAnew(traffic, options, true),
    wanted: undefined,
  },
];

/** Measures one target over one protocol. */
interface Lane extends Target {
  readonly of: string;
  readonly way: Way;
}

export function bench(options: BenchOptions): Promise<Report> {
  const missingPrograms = ['wrk', 'h2load'].filter((program) => !isOnPath(program));
  if (missingPrograms.length > 0) throw new Error(`not installed: ${missingPrograms.join(', ')}`);
  return withWorkbench(async (workbench) => {
    const { targets, absent } = await startTargets(workbench);
    const negotiatedTerms = await findAgreedTerms(targets);
    const lanes = WAYS.flatMap((way) =>
      targets.map((target) => ({
        ...target,
        of: target.name,
        way,
        name: nameOf(way, target.name),
      })),
    );
    for (const lane of lanes) {
      options.onProgress(`warming ${lane.name}`);
      await lane.way.drive(lane, { ...options, seconds: WARM_SECONDS });
    }
    const samples = await runInRounds<Lane, Sample>(lanes, options, (lane) =>
      measureAlone(lane, lanes, () => measureTarget(lane, options, lane.way.drive)),
    );
    const body = lanes.map((lane) => rowOf(samples, lane));
    return {
      rows: [...samples].map(([name, rounds]) => ({ name, rounds })),
      table: `${toTable(HEAD, [...body, ...absent.map((name) => [name, 'not installed'])])}\n\n${goalsTable(goalsOf(samples))}`,
      notes: [
        placement,
        `load by wrk over HTTP/1.1 and by h2load over HTTP/2, one thread, ${options.connections} connections, over HTTP/2 with ${STREAMS} streams each; 1 KiB answers`,
        `handshakes: ${options.connections} connections at a time by node:tls, each for one request and its answer`,
        `all targets: ${negotiatedTerms.version}, ${negotiatedTerms.cipher}, X25519, the same ECDSA P-256 certificate; a browser that offers X25519MLKEM768 gets it from Guard, and not from Debian's OpenSSL`,
        warmNote,
        'the header fields of Chrome on https, behind a load balancer that connects to the target by TLS, so that no signal compares the handshake of the load with that of Chrome',
        standStillNote,
        'ratios are medians of the ratios of each round; first and last: requests/s of that round, guard against the target of the row',
        'two changes gave nothing over HTTP/2: to mark empty uploads as read, and to have no idle timer for each stream',
        'busy: the share of its core that a target used; when it is well below 100 %, load or origin were the bottleneck, and CPU is the column to read',
      ],
    };
  });
}

function nameOf(way: Way, target: string): string {
  return `${way.name}: ${target}`;
}

async function startTargets(workbench: Workbench) {
  const tls = writeCertificate(workbench.folder);
  const origin = await startOrigin(workbench);
  const anyPort = '127.0.0.1:0';
  const guard = await startGuard(
    workbench,
    'guard',
    guardSettings('guard', origin.line, {
      top: {
        listen: { gateway: anyPort, gateway_tls: anyPort },
        tls: { certificates: [{ cert: tls.cert, key: tls.key, hosts: [HOST] }] },
      },
    }),
  );
  const common = { path: '/', headers: await headersOfReturning(guard.url), recorded: false };
  const peers = await startPeers(workbench, origin.line, [PEERS.nginx, PEERS.haproxy], tls);
  const targets: Target[] = [
    ...peers.flatMap((peer) => (peer.kind === 'started' ? [{ ...common, ...peer }] : [])),
    {
      ...{ ...common, name: GUARD, url: guard.addresses.gateway_tls },
      ...{ pids: [guard.pid], recorded: true },
    },
  ];
  return {
    targets,
    absent: peers.flatMap((peer) => (peer.kind === 'not installed' ? [peer.name] : [])),
  };
}

function writeCertificate(folder: string): TlsFiles {
  const { cert, key } = selfSigned(HOST);
  const files = {
    cert: join(folder, 'cert.pem'),
    key: join(folder, 'key.pem'),
    pair: join(folder, 'pair.pem'),
  };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  writeFileSync(files.pair, `${cert.toString()}${key.toString()}`);
  return files;
}

/** Returns the TLS version and algorithms that the targets choose with the same client. Throws when they differ. */
async function findAgreedTerms(targets: readonly Target[]): Promise<Negotiated> {
  const allTerms = await Promise.all(targets.map(({ url }) => negotiatedWith(url)));
  const texts = new Set(allTerms.map((negotiated) => JSON.stringify(negotiated)));
  const [first] = allTerms;
  if (first === undefined || texts.size > 1) {
    throw new Error(`the targets do not do the same work: ${[...texts].join(' ')}`);
  }
  return first;
}

const HEAD = [
  'way and target',
  'a second',
  'CPU us each',
  'of it database',
  'busy',
  'guard/it a second',
  'first round',
  'last round',
  'guard/it CPU',
  'p50 us',
  'p99 us',
];

function rowOf(samples: Samples<Sample>, { name, of: target, way }: Lane): string[] {
  const medianOfSamples = (read: (sample: Sample) => number) => medianOf(samples, name, read);
  const pair = [nameOf(way, GUARD), name] as const;
  const rates = ratesOf(samples, pair);
  return [
    name,
    medianOfSamples((s) => s.requestsPerS).toFixed(0),
    medianOfSamples((s) => s.cpuUs).toFixed(1),
    medianOfSamples((s) => s.databaseUs).toFixed(1),
    `${(100 * medianOfSamples((s) => s.busy)).toFixed(0)} %`,
    ...(target === GUARD
      ? ['', '', '', '']
      : [
          pairedRatio(samples, pair, (a, b) => a.requestsPerS / b.requestsPerS)?.toFixed(2) ?? '',
          rates.at(0)?.toFixed(2) ?? '',
          rates.at(-1)?.toFixed(2) ?? '',
          pairedRatio(samples, pair, (a, b) => a.cpuUs / b.cpuUs)?.toFixed(2) ?? '',
        ]),
    medianOfSamples((s) => s.p50Us).toFixed(0),
    medianOfSamples((s) => s.p99Us).toFixed(0),
  ];
}

/** The ratio in each round, in order. */
function ratesOf(samples: Samples<Sample>, [one, other]: readonly [string, string]): number[] {
  const otherSamples = samples.get(other) ?? [];
  return (samples.get(one) ?? []).flatMap(({ requestsPerS }, round) => {
    const counterpart = otherSamples[round];
    return counterpart === undefined ? [] : [requestsPerS / counterpart.requestsPerS];
  });
}

function goalsOf(samples: Samples<Sample>): Goal[] {
  return WAYS.flatMap((way) => {
    const { name, wanted } = way;
    if (wanted === undefined) return [];
    const pair = [nameOf(way, GUARD), nameOf(way, PEERS.nginx)] as const;
    const rates = ratesOf(samples, pair);
    const [first, last] = [rates.at(0), rates.at(-1)];
    return [
      atLeast(
        `${name}: requests/s, of nginx`,
        wanted,
        pairedRatio(samples, pair, (a, b) => a.requestsPerS / b.requestsPerS),
      ),
      atLeast(
        `${name}: the last round's figure, of the first's`,
        0.95,
        first === undefined || last === undefined ? undefined : last / first,
      ),
    ];
  });
}
