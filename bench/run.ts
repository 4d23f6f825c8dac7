/** npm run bench [-- --rounds N --seconds N --connections N --json --record] */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchGateway, type Row } from './gateway.ts';
import { pinned } from './processes.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(`npm run bench [-- options]

  --rounds N        interleaved rounds, default 5
  --seconds N       seconds a target and round, default 3
  --connections N   requests under way, default 32
  --json            the numbers as JSON
  --record          also write bench/BASELINE.md`);
  process.exit(0);
}

const rows = await benchGateway({
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  onProgress: (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  },
});
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');

const peer = rows.find(({ name }) => name.startsWith('http-proxy-3'));
const table = toTable(rows, peer?.cpuUs ?? Number.NaN);
console.log(values.json ? JSON.stringify(rows, undefined, 2) : table);
if (values.record) writeFileSync(join(import.meta.dirname, 'BASELINE.md'), baseline(table));

function toTable(measured: readonly Row[], peerCpuUs: number): string {
  const head = [
    'target',
    'requests/s',
    'CPU us/request',
    'of it database',
    'of http-proxy-3',
    'p50 us',
    'p99 us',
  ];
  const body = measured.map((row) => [
    row.name,
    row.requestsPerS.toFixed(0),
    row.cpuUs.toFixed(1),
    row.databaseUs.toFixed(1),
    (row.cpuUs / peerCpuUs).toFixed(2),
    row.p50Us.toFixed(0),
    row.p99Us.toFixed(0),
  ]);
  const widths = head.map((title, i) =>
    Math.max(title.length, ...body.map((cells) => cells[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

function baseline(text: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain') === '' ? '' : ' with changes';
  return `# Measured

${text}

- ${new Date().toISOString().slice(0, 10)}, commit ${git('rev-parse', '--short', 'HEAD')}${dirty}, Node ${process.versions.node}
- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}; ${pinned.length > 0 ? 'the target on one core, load and origin on the other' : 'nothing pinned'}
- ${values.rounds} rounds of ${values.seconds} s a target, interleaved, medians; ${values.connections} connections; 1 KiB answers; the headers of Chrome on plain http
- CPU is the run time of all threads and children of a target: for Guard with decisions, the database's share is in it
- \`npm run bench -- --record\` writes this file
`;
}
