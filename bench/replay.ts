/**
 * Measures the lines that `guard replay` judges in a second, for an access log of nginx, for the same requests as JSON
 * lines of Caddy with all headers, and for a comparison of two settings. The bench runs the command on a file, as a
 * person does. It uses the time that the command reports, which excludes the start of the process.
 */
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { chromeHttps } from '../test/kit/visitors/visitors.ts';
import { fillNumber } from './measure/traffic.ts';
import type { BenchOptions, Report } from './measure/report.ts';
import { toTable } from './measure/report.ts';
import { median } from './measure/rounds.ts';

const ROOT = join(import.meta.dirname, '..');
const AGENTS = join(ROOT, 'config/src/catalogue/fixtures/browser-user-agents.txt');
const LINES = 400_000;
const CADDY_LINES = 100_000;
const PER_SECOND = 200;
const BEGIN_MS = Date.UTC(2026, 10, 20, 10);

const SETTINGS = `version: 1
listen: { gateway: 127.0.0.1:8080 }
secret: bench-of-replay-5f0c2b7d9e41a86371d4c0be52f9a687
organisations:
  - id: acme
    presets: [well-known, feeds, git]
    challenge: { free_pages: false }
    rules:
      - { name: office, match: { ip: 203.0.113.0/24 }, verdict: allow }
      - { name: training, match: { crawler: { rsl_category: ai-train } }, verdict: block }
      - { name: budget, match: { path: /products/** }, rate_limit: { requests: 300, per: 1m } }
      - { name: everybody, match: {}, detect: true }
sites: [{ hosts: [shop.example], organisation: acme, origin: 'http://127.0.0.1:3000', skip: [/assets/**] }]
`;

interface Row {
  readonly name: string;
  readonly linesPerSecond: number;
  readonly samples: readonly number[];
}

export async function bench(options: BenchOptions): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-bench-replay-'));
  try {
    const files = await prepare(folder);
    const cases = [
      { name: 'access log, combined', args: [files.combined] },
      { name: 'access log, two settings', args: ['--against', files.monitored, files.combined] },
      { name: 'JSON lines with headers', args: [files.caddy] },
    ].map((benchCase) => ({ ...benchCase, samples: [] as number[] }));
    for (let round = 1; round <= options.rounds; round++) {
      for (const one of cases) {
        options.onProgress(`round ${round} of ${options.rounds}: ${one.name}`);
        one.samples.push(await replay(['--config', files.settings, ...one.args]));
      }
    }
    const rows = cases.map(({ name, samples }): Row => ({
      name,
      linesPerSecond: median(samples),
      samples,
    }));
    const table = toTable(
      ['log', 'lines/s'],
      rows.map(({ name, linesPerSecond }) => [name, Math.round(linesPerSecond).toString()]),
    );
    return { rows, table, notes: NOTES };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const NOTES = [
  `${LINES.toLocaleString('en-US')} lines of people, a tenth of them curl, ${CADDY_LINES.toLocaleString('en-US')} with headers; one thread, a detection, a budget, three presets`,
  'target: 100,000 lines/s of an access log',
];

async function replay(args: readonly string[]): Promise<number> {
  const command = [join(ROOT, 'bin', 'guard.mjs'), 'replay', '--json', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { maxBuffer: 1 << 26 });
  const { judged, seconds } = JSON.parse(stdout) as { judged: number; seconds: number };
  return judged / seconds;
}

async function prepare(folder: string) {
  const files = {
    settings: join(folder, 'candidate.yaml'),
    monitored: join(folder, 'current.yaml'),
    combined: join(folder, 'access.log'),
    caddy: join(folder, 'caddy.log'),
  };
  await writeFile(files.settings, SETTINGS);
  await writeFile(files.monitored, SETTINGS.replace('detect: true', 'detect: true, monitor: true'));
  const agents = (await readFile(AGENTS, 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const agentOf = (index: number) =>
    index % 10 === 0 ? 'curl/8.5.0' : (agents[(index * 7_919) % agents.length] ?? '');
  await write(files.combined, LINES, (index) => combinedLine(index, agentOf(index)));
  await write(files.caddy, CADDY_LINES, caddyLine);
  return files;
}

async function write(file: string, lines: number, lineOf: (index: number) => string) {
  const stream = createWriteStream(file);
  for (let index = 0; index < lines; index++) {
    if (!stream.write(lineOf(index))) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
}

function combinedLine(index: number, agent: string): string {
  const isoTime = new Date(BEGIN_MS + Math.floor(index / PER_SECOND) * 1000).toISOString();
  const time = `20/Nov/2026:${isoTime.slice(11, 19)} +0000`;
  const target = `/products/${index % 1000}?page=${index % 77}`;
  return `${fillNumber('{address}', index)} - - [${time}] "GET ${target} HTTP/1.1" 200 5120 "https://shop.example/" "${agent}"\n`;
}

function caddyLine(index: number): string {
  const headers = Object.fromEntries(
    Object.entries(chromeHttps)
      .map(([name, value]) => [name, [value]] as const)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
  const client_ip = fillNumber('{address}', index);
  const uri = `/products/${index % 1000}`;
  const request = { client_ip, method: 'GET', host: 'shop.example', uri, tls: {}, headers };
  return `${JSON.stringify({ ts: BEGIN_MS / 1000 + index / PER_SECOND, request, status: 200 })}\n`;
}
