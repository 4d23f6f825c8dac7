/** npm run chaos [-- fault…, and options]: tries faults around a real Guard, and reports which claims hold. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FAULTS } from './faults.ts';
import { claimTable, figureTable, holds, type Result } from './results.ts';
import { tryFaults } from './try-faults.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(FAULTS);
const chosen = names.flatMap((name) => {
  const fault = FAULTS[name];
  return fault === undefined ? [] : [[name, fault] as const];
});
const isUnderstood = chosen.length === names.length;
if (values.help || !isUnderstood) {
  process.stdout.write(usage());
  process.exit(values.help ? 0 : 2);
}

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
const allResults = await tryFaults(chosen, {
  signal: interrupt.signal,
  say(text) {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  },
});
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
const tables = `${claimTable(allResults)}\n\n${figureTable(allResults)}\n`;
process.stdout.write(values.json ? `${JSON.stringify(allResults, inJson, 2)}\n` : tables);
if (values.record)
  writeFileSync(join(import.meta.dirname, 'RESULTS.md'), report(allResults, tables));
if (!allResults.every(holds)) process.exitCode = 1;

function inJson(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}

function usage(): string {
  const list = Object.entries(FAULTS).map(([name, { done }]) => `  ${name.padEnd(21)} ${done}`);
  return `npm run chaos [-- fault…, and options]

${list.join('\n')}

  --json     what was seen as JSON
  --record   also write chaos/RESULTS.md

Ends with 1 when something does not hold, and with 2 for a fault that there is not.
`;
}

function report(results: readonly Result[], text: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain') === '' ? '' : ' with changes';
  const [cpu] = cpus();
  return `# What holds when something goes wrong

Each fault has its own Guard, started as users start it. Eight visitors on kept connections ask for pages in the
meantime. One request in five is for a page that is blocked for all visitors. ${results.filter(holds).length} of ${results.length} faults held.

${text}
- ${new Date().toISOString().slice(0, 10)}, commit ${git('rev-parse', '--short', 'HEAD')}${dirty}, Node ${process.versions.node}, ${cpus().length} × ${cpu?.model ?? 'unknown'}
- wrong answers are those of the visitors who come all the time; RSS is the memory of the gateway's process, without
  the database
- \`npm run chaos -- --record\` writes this file
`;
}
