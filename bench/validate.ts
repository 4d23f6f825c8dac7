/**
 * Measures the cost of `POST /validate` over keep-alive connections: requests a second of the real route, and of a bare
 * fastify route that parses the same body and sends a constant of the same size. Events are not recorded, because the
 * bench measures the route and not the database.
 */
import { ONE_PLAYS_ALL } from '../test/kit/product/policies.ts';
import { join } from 'node:path';
import { productSettings, SECRET_KEY } from '../test/kit/product/product-settings.ts';
import { visit } from '../test/kit/visitors/visitors.ts';
import { cpuTime } from './measure/cpu-time.ts';
import { post } from './measure/load.ts';
import { placement, startScriptOn } from './measure/processes.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { runInRounds, median } from './measure/rounds.ts';
import { DETECT, withWorkbench, startGuard, type Workbench } from './measure/workbench.ts';

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

/** Loads the bare route and the real route alternately, and returns the medians. */
export function bench(options: BenchOptions): Promise<Report> {
  return withWorkbench(async (workbench) => {
    const targets = await startTargets(workbench);
    for (const target of targets) await measure(target, { ...options, seconds: 2 });
    const samples = await runInRounds(targets, options, (target) => measure(target, options));
    return reportOf(
      [...samples].map(([name, rounds]) => ({ name, ...medians(rounds) })),
      options,
    );
  });
}

async function startTargets(workbench: Workbench): Promise<Target[]> {
  const listen = { validator: '127.0.0.1:0' };
  const top = { listen, sites: [], analytics: undefined };
  const guard = await startGuard(
    workbench,
    'guard',
    productSettings('', { rules: DETECT, organisation: ONE_PLAYS_ALL, top }),
  );
  const url = `${guard.addresses.validator}/validate`;
  const newcomer = JSON.stringify(visit());
  const firstAnswer = JSON.parse(await ask(url, newcomer)) as { cookies: [{ value: string }] };
  const knownVisit = JSON.stringify(visit({ cookie: firstAnswer.cookies[0].value }));
  const script = join(import.meta.dirname, 'targets', 'bare-validate.ts');
  const bareTarget = workbench.keep(await startScriptOn(1, script, [await ask(url, knownVisit)]));
  const { pid } = guard;
  return [
    { name: 'bare fastify route', url: bareTarget.line, pid: bareTarget.pid, body: knownVisit },
    { name: 'POST /validate, with its session', url, pid, body: knownVisit },
    { name: 'POST /validate, without one', url, pid, body: newcomer },
  ];
}

async function ask(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: HEADERS, body });
  return response.text();
}

async function measure(target: Target, options: BenchOptions): Promise<Sample> {
  const cpuBefore = cpuTime(target.pid);
  const result = await post(target.url, HEADERS, target.body, options);
  return {
    requestsPerS: result.requests / result.seconds,
    cpuUs: (cpuTime(target.pid).ownUs - cpuBefore.ownUs) / result.requests,
    p50Us: result.p50Us,
    p99Us: result.p99Us,
  };
}

function medians(samples: readonly Sample[]): Sample {
  const medianOfSamples = (read: (sample: Sample) => number) => median(samples.map(read));
  return {
    requestsPerS: medianOfSamples((s) => s.requestsPerS),
    cpuUs: medianOfSamples((s) => s.cpuUs),
    p50Us: medianOfSamples((s) => s.p50Us),
    p99Us: medianOfSamples((s) => s.p99Us),
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
      `${connections} connections, keep-alive; the body is the first request of Chrome on https, as JSON`,
      'the bare route parses the same body and sends a constant text: an answer of the real route',
    ],
  };
}
