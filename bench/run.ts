/** npm run bench [-- gateway | validate | decision | memory] [-- options]: which bench, and where its numbers go. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as decision from './decision.ts';
import * as gateway from './gateway.ts';
import * as memory from './memory.ts';
import type { BenchOptions, Report } from './report.ts';
import * as validate from './validate.ts';

/** Name, what it measures, and the file of `--record`. The first one is run when none is named. */
const BENCHES: Readonly<
  Record<string, { bench: (options: BenchOptions) => Promise<Report>; about: string; file: string }>
> = {
  gateway: { ...gateway, about: 'what the gateway costs (default)', file: 'BASELINE.md' },
  validate: {
    ...validate,
    about: 'POST /validate against a bare route',
    file: 'BASELINE-validate.md',
  },
  decision: {
    ...decision,
    about: 'one decision in process against the same work by hand',
    file: 'BASELINE-decision.md',
  },
  memory: {
    ...memory,
    about: 'resident memory under ten million visitors who never come twice',
    file: 'BASELINE-memory.md',
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const name = positionals[0] ?? 'gateway';
const chosen = BENCHES[name];
if (values.help || !chosen) {
  console.log(usage());
  process.exit(values.help ? 0 : 2);
}

const { rows, table, notes } = await chosen.bench({
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  onProgress: (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  },
});
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
console.log(values.json ? JSON.stringify(rows, undefined, 2) : table);
if (values.record) {
  writeFileSync(join(import.meta.dirname, chosen.file), baseline(table, notes));
}

function usage(): string {
  const list = Object.entries(BENCHES).map(([key, { about }]) => `  ${key.padEnd(17)} ${about}`);
  return `npm run bench [-- name] [-- options]

${list.join('\n')}

  --rounds N        interleaved rounds, default 5
  --seconds N       seconds a target and round, default 3
  --connections N   requests under way, default 32
  --json            the numbers as JSON
  --record          also write the table into bench/`;
}

function baseline(text: string, how: readonly string[]): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain') === '' ? '' : ' with changes';
  return `# Measured

${text}

- ${new Date().toISOString().slice(0, 10)}, commit ${git('rev-parse', '--short', 'HEAD')}${dirty}, Node ${process.versions.node}
- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}
- ${values.rounds} rounds of ${values.seconds} s a target, interleaved, medians
${how.map((note) => `- ${note}`).join('\n')}
- \`npm run bench -- ${name} --record\` writes this file
`;
}
