/**
 * What `POST /validate` costs over keep-alive: requests a second of the real route, and of a bare
 * fastify route that parses the same body and answers a constant of the same size. No analytics: the
 * events of this bench go nowhere, so that the route is measured and not the database.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { storySettings, SECRET_KEY } from '../test/kit/story-settings.ts';
import { visit } from '../test/kit/visitors.ts';
import { cpuTime } from './cpu-time.ts';
import { load, median } from './load.ts';
import { placement, startOn, type Started } from './processes.ts';
import { type BenchOptions, type Report, toTable } from './report.ts';

const here = import.meta.dirname;
const HEADERS = { 'content-type': 'application/json', 'x-api-key': SECRET_KEY };

interface Target {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly body: string;
}

interface Sample {
  readonly requestsPerS: number;
  readonly cpuUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

/** Drives the bare route and the real one in turns, and gives the medians. */
export async function bench(options: BenchOptions): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-bench-'));
  const started: Started[] = [];
  try {
    const targets = await startTargets(folder, started);
    for (const target of targets) await measure(target, { ...options, seconds: 2 });
    const samples = new Map(targets.map(({ name }) => [name, [] as Sample[]]));
    for (let round = 1; round <= options.rounds; round++) {
      for (const target of round % 2 === 0 ? targets.toReversed() : targets) {
        options.onProgress(`round ${round} of ${options.rounds}: ${target.name}`);
        samples.get(target.name)?.push(await measure(target, options));
      }
    }
    return reportOf(
      targets.map(({ name }) => ({ name, ...medians(samples.get(name) ?? []) })),
      options,
    );
  } finally {
    for (const process of started.toReversed()) await process.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startTargets(folder: string, started: Started[]): Promise<Target[]> {
  const guard = await startGuard(folder);
  started.push(guard.process);
  const newcomer = JSON.stringify(visit());
  const first = JSON.parse(await ask(guard.url, newcomer)) as { cookies: [{ value: string }] };
  const known = JSON.stringify(visit({ cookie: first.cookies[0].value }));
  const constant = await ask(guard.url, known);
  const bare = await startOn(1, join(here, 'targets', 'bare-validate.ts'), [constant]);
  started.push(bare);
  const { pid } = guard.process;
  return [
    { name: 'bare fastify route', url: bare.line, pid: bare.pid, body: known },
    { name: 'POST /validate, with its session', url: guard.url, pid, body: known },
    { name: 'POST /validate, without one', url: guard.url, pid, body: newcomer },
  ];
}

async function startGuard(folder: string) {
  const file = join(folder, 'guard.yaml');
  const rules = [{ name: 'everybody', match: {}, detect: true }];
  const top = { listen: { validator: '127.0.0.1:0' }, sites: [], analytics: undefined };
  writeFileSync(file, stringify(storySettings('', { rules, top })));
  const args = ['start', '--config', file, '--json'];
  const process = await startOn(1, join(here, '..', 'bin', 'guard.mjs'), args);
  const { addresses } = JSON.parse(process.line) as { addresses: { validator: string } };
  return { process, url: `${addresses.validator}/validate` };
}

async function ask(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: HEADERS, body });
  return response.text();
}

async function measure(target: Target, options: BenchOptions): Promise<Sample> {
  const before = cpuTime(target.pid);
  const result = await load(target.url, HEADERS, { ...options, body: target.body });
  return {
    requestsPerS: result.requests / result.seconds,
    cpuUs: (cpuTime(target.pid).ownUs - before.ownUs) / result.requests,
    p50Us: result.p50Us,
    p99Us: result.p99Us,
  };
}

function medians(samples: readonly Sample[]): Sample {
  const of = (read: (sample: Sample) => number) => median(samples.map(read));
  return {
    requestsPerS: of((s) => s.requestsPerS),
    cpuUs: of((s) => s.cpuUs),
    p50Us: of((s) => s.p50Us),
    p99Us: of((s) => s.p99Us),
  };
}

function reportOf(
  rows: readonly (Sample & { readonly name: string })[],
  { connections }: BenchOptions,
): Report {
  const floor = rows[0]?.requestsPerS ?? Number.NaN;
  const body = rows.map((row) => [
    row.name,
    row.requestsPerS.toFixed(0),
    `${((100 * row.requestsPerS) / floor).toFixed(0)} %`,
    row.cpuUs.toFixed(1),
    row.p50Us.toFixed(0),
    row.p99Us.toFixed(0),
  ]);
  return {
    rows,
    table: toTable(['target', 'requests/s', 'of bare', 'CPU us/request', 'p50 us', 'p99 us'], body),
    notes: [
      placement,
      `${connections} connections, keep-alive; the request is Chrome's first on https, as JSON`,
      'the bare route parses the same body and answers the constant text that the real route gave',
    ],
  };
}
