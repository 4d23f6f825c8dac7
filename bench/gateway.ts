/**
 * What the gateway costs: requests a second and CPU per request of the origin alone, of http-proxy-3
 * with a keep-alive agent, of our gateway unprotected, and of our gateway with every decision made
 * and recorded. Interleaved rounds, medians; CPU is that of all processes of a target, the database included.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { chromeHttp } from '../test/kit/visitors.ts';
import { storySettings } from '../test/kit/story-settings.ts';
import { cpuTime } from './cpu-time.ts';
import { load, median, type LoadResult } from './load.ts';
import { placement, startOn, type Started } from './processes.ts';
import { type BenchOptions, type Report, toTable } from './report.ts';

const here = import.meta.dirname;

interface Target {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Row {
  readonly name: string;
  readonly requestsPerS: number;
  /** All processes of the target together. */
  readonly cpuUs: number;
  /** The database's share of it. */
  readonly databaseUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

/** Starts every target, drives them in turns, and gives the medians in the order of the targets. */
export async function bench(options: BenchOptions): Promise<Report> {
  const rows = await measureAll(options);
  return {
    rows,
    table: tableOf(rows),
    notes: [
      placement,
      `${options.connections} connections; 1 KiB answers; the headers of Chrome on plain http`,
      "CPU is the run time of all threads and children of a target: for Guard with decisions, the database's share is in it",
    ],
  };
}

function tableOf(rows: readonly Row[]): string {
  const head = [
    'target',
    'requests/s',
    'CPU us/request',
    'of it database',
    'of http-proxy-3',
    'p50 us',
    'p99 us',
  ];
  const peer = rows.find(({ name }) => name.startsWith('http-proxy-3'));
  const body = rows.map((row) => [
    row.name,
    row.requestsPerS.toFixed(0),
    row.cpuUs.toFixed(1),
    row.databaseUs.toFixed(1),
    (row.cpuUs / (peer?.cpuUs ?? Number.NaN)).toFixed(2),
    row.p50Us.toFixed(0),
    row.p99Us.toFixed(0),
  ]);
  return toTable(head, body);
}

async function measureAll(options: BenchOptions): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-bench-'));
  const started: Started[] = [];
  try {
    const targets = await startTargets(folder, started);
    for (const target of targets) {
      options.onProgress(`warming ${target.name}`);
      await load(target.url, target.headers, { ...options, seconds: 2 });
    }
    const samples = new Map(targets.map(({ name }) => [name, [] as Omit<Row, 'name'>[]]));
    for (let round = 1; round <= options.rounds; round++) {
      const order = round % 2 === 0 ? targets.toReversed() : targets;
      for (const target of order) {
        options.onProgress(`round ${round} of ${options.rounds}: ${target.name}`);
        samples.get(target.name)?.push(await measure(target, options));
      }
    }
    return targets.map(({ name }) => medians(name, samples.get(name) ?? []));
  } finally {
    for (const process of started.toReversed()) await process.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startTargets(folder: string, started: Started[]): Promise<Target[]> {
  const origin = await startOn(0, join(here, 'targets', 'origin.ts'), []);
  started.push(origin);
  const peer = await startOn(1, join(here, 'targets', 'http-proxy-3.ts'), [origin.line]);
  started.push(peer);
  const detect = [{ name: 'everybody', match: {}, detect: true }];
  const open = await startGuard(
    folder,
    'open',
    storySettings(origin.line, { site: { protect: [] } }),
  );
  started.push(open.process);
  const full = await startGuard(folder, 'full', storySettings(origin.line, { rules: detect }));
  started.push(full.process);
  const visitor = { ...chromeHttp, host: '127.0.0.1', 'x-forwarded-for': '84.115.20.7' };
  const cookie = await sessionCookieOf(full.url, visitor);
  return [
    { name: 'direct to the origin', url: origin.line, pid: origin.pid, headers: visitor },
    { name: 'http-proxy-3, keep-alive agent', url: peer.line, pid: peer.pid, headers: visitor },
    { name: 'guard, unprotected', url: open.url, pid: open.process.pid, headers: visitor },
    {
      name: 'guard, every decision made and recorded',
      url: full.url,
      pid: full.process.pid,
      headers: { ...visitor, cookie },
    },
  ];
}

async function startGuard(folder: string, name: string, settings: Record<string, unknown>) {
  const file = join(folder, `${name}.yaml`);
  const analytics = { engine: 'embedded', path: `./${name}` };
  writeFileSync(file, stringify({ ...settings, analytics }));
  const args = ['start', '--config', file, '--json'];
  const process = await startOn(1, join(here, '..', 'bin', 'guard.mjs'), args);
  const { addresses } = JSON.parse(process.line) as { addresses: { gateway: string } };
  return { process, url: addresses.gateway };
}

async function sessionCookieOf(url: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(url, { headers });
  await response.body?.cancel();
  const [cookie = ''] = response.headers.getSetCookie();
  return cookie.split(';', 1)[0] ?? '';
}

async function measure(target: Target, options: BenchOptions): Promise<Omit<Row, 'name'>> {
  const before = cpuTime(target.pid);
  const result: LoadResult = await load(target.url, target.headers, options);
  const spent = cpuTime(target.pid);
  const databaseUs = spent.childrenUs - before.childrenUs;
  const cpuUs = spent.ownUs - before.ownUs + databaseUs;
  return {
    requestsPerS: result.requests / result.seconds,
    cpuUs: cpuUs / result.requests,
    databaseUs: databaseUs / result.requests,
    p50Us: result.p50Us,
    p99Us: result.p99Us,
  };
}

function medians(name: string, samples: readonly Omit<Row, 'name'>[]): Row {
  const of = (read: (sample: Omit<Row, 'name'>) => number) => median(samples.map(read));
  return {
    name,
    requestsPerS: of((s) => s.requestsPerS),
    cpuUs: of((s) => s.cpuUs),
    databaseUs: of((s) => s.databaseUs),
    p50Us: of((s) => s.p50Us),
    p99Us: of((s) => s.p99Us),
  };
}
