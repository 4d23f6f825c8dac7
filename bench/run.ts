/** npm run bench [-- name] [-- options]: runs one bench, and prints or records its numbers. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as dashboards from './dashboards.ts';
import * as decision from './decision.ts';
import * as flood from './flood.ts';
import * as gate from './gate.ts';
import * as gateway from './gateway.ts';
import * as growth from './growth.ts';
import * as halfLoad from './half-load.ts';
import * as ingest from './ingest.ts';
import * as large from './large.ts';
import * as maps from './maps.ts';
import * as memory from './memory.ts';
import * as remote from './remote.ts';
import * as replay from './replay.ts';
import type { BenchOptions, Report } from './measure/report.ts';
import * as soak from './soak/soak.ts';
import * as stream from './stream.ts';
import * as tls from './tls.ts';
import * as uploads from './uploads.ts';
import * as validate from './validate.ts';
import * as workers from './workers.ts';

interface Bench {
  readonly bench: (options: BenchOptions) => Promise<Report>;
  readonly about: string;
  /**
   * True if the bench measures in rounds, in which the targets alternate, and reports medians. False if the bench is a
   * single run.
   */
  readonly inRounds: boolean;
}

/** The benches by name. The first one is the default. */
const BENCHES: Readonly<Record<string, Bench>> = {
  gateway: {
    ...gateway,
    about: 'the cost of the gateway, and of other proxies (default)',
    inRounds: true,
  },
  flood: { ...flood, about: 'requests that are new to every cache', inRounds: true },
  large: {
    ...large,
    about: 'answers of 100 KiB and 10 MiB, compared with plain nginx',
    inRounds: true,
  },
  tls: {
    ...tls,
    about: 'requests and handshakes over TLS, with HTTP/1.1 and HTTP/2',
    inRounds: true,
  },
  uploads: { ...uploads, about: 'a GET beside 64 slow uploads', inRounds: true },
  'half-load': {
    ...halfLoad,
    about: 'the latency that is added to the 99th percentile',
    inRounds: true,
  },
  workers: { ...workers, about: 'the gain of a second worker on two cores', inRounds: true },
  remote: {
    ...remote,
    about: 'the latency that a remote validator adds to the median',
    inRounds: true,
  },
  stream: { ...stream, about: 'memory while 1 GiB goes up and 1 GiB comes down', inRounds: false },
  soak: {
    ...soak,
    about: 'leaks and wrong answers at half load with reloads, killed origins and aborts',
    inRounds: false,
  },
  validate: { ...validate, about: 'POST /validate, compared with a bare route', inRounds: true },
  decision: {
    ...decision,
    about: 'one decision in process, compared with the same work by hand',
    inRounds: true,
  },
  ingest: { ...ingest, about: 'the cost of recording a decision', inRounds: true },
  dashboards: {
    ...dashboards,
    about: 'the time that an analyst waits, with ten million rows',
    inRounds: true,
  },
  gate: {
    ...gate,
    about: 'the time that the gate in front of POST /query takes for a statement',
    inRounds: true,
  },
  maps: { ...maps, about: 'our own bounded maps, compared with lru-cache', inRounds: false },
  replay: {
    ...replay,
    about: 'the lines of a log that guard replay judges in a second',
    inRounds: true,
  },
  growth: {
    ...growth,
    about: 'start, reload, memory and a decision with 1,000 sites and 10,000 rules',
    inRounds: true,
  },
  memory: {
    ...memory,
    about: 'resident memory under ten million visitors who never come twice',
    inRounds: false,
  },
};
const DEFAULT = 'gateway';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    minutes: { type: 'string', default: '10' },
    mib: { type: 'string', default: '1024' },
    rows: { type: 'string', default: '10000000' },
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const name = positionals[0] ?? DEFAULT;
const chosenBench = BENCHES[name];
if (values.help || !chosenBench) {
  console.log(usage());
  process.exit(values.help ? 0 : 2);
}

const { rows, table, notes, failed } = await chosenBench.bench({
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  minutes: Number(values.minutes),
  mib: Number(values.mib),
  rows: Number(values.rows),
  onProgress: (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  },
});
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
console.log(values.json ? JSON.stringify(rows, undefined, 2) : table);
if (values.record) {
  const file = name === DEFAULT ? 'BASELINE.md' : `BASELINE-${name}.md`;
  writeFileSync(join(import.meta.dirname, file), baseline(chosenBench, table, notes));
}
if (failed === true) process.exitCode = 1;

function usage(): string {
  const list = Object.entries(BENCHES).map(([key, { about }]) => `  ${key.padEnd(17)} ${about}`);
  return `npm run bench [-- name] [-- options]

${list.join('\n')}

  --rounds N        interleaved rounds, default 5
  --seconds N       seconds for each target in each round, default 3
  --connections N   requests under way, default 32
  --minutes N       duration of a soak, default 10
  --mib N           size of a stream in each direction, default 1024
  --rows N          events in the database of a dashboard, default 10000000
  --json            the numbers as JSON
  --record          also write the table into bench/`;
}

function baseline({ inRounds }: Bench, text: string, conditions: readonly string[]): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain') === '' ? '' : ' with changes';
  const rounds = `${values.rounds} rounds of ${values.seconds} s for each target, interleaved, medians`;
  const list = [
    `${new Date().toISOString().slice(0, 10)}, commit ${git('rev-parse', '--short', 'HEAD')}${dirty}, Node ${process.versions.node}`,
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    ...(inRounds ? [rounds] : []),
    ...conditions,
    `\`npm run bench -- ${name} --record\` writes this file`,
  ];
  return `# Measured

${text}

${list.map((note) => `- ${note}`).join('\n')}
`;
}
