import { pbkdf2Sync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { commitOf } from '../automation/report.ts';
import { markdown } from '../tables.ts';
import { type Testbed, type Scheme, type Site, startTestbed } from './testbed.ts';
import type { Technique } from './technique.ts';
import { techniques } from './techniques.ts';

/** One technique on one site, over one scheme. */
interface Row {
  readonly technique: string;
  readonly site: Site;
  readonly scheme: Scheme;
  readonly attempts: number;
  readonly reached: number;
  /** Processor time of the attacker for each attempt, in milliseconds. */
  readonly costMs: number;
  readonly stoppedBy: readonly string[];
  readonly atMost: number | undefined;
  /** The reason why the technique was not run. */
  readonly missing?: string;
}

export interface AttackOptions {
  /** Only techniques with this text in their name are run. Empty means all techniques. */
  readonly only: string;
  readonly json: boolean;
  readonly record: boolean;
}

/** Runs the techniques and prints the table. True when every goal was met. */
export async function runAttack({ only, json, record }: AttackOptions): Promise<boolean> {
  const chosen = techniques.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new TypeError(`--only ${only}: no such technique`);
  const commit = commitOf();
  const rows: Row[] = [];
  for (const technique of chosen) {
    for (const site of technique.sites) {
      for (const scheme of technique.schemes) {
        const row = await measureAlone(technique, site, scheme);
        rows.push(row);
        const result = row.missing ?? `${row.reached} of ${row.attempts} reached`;
        process.stderr.write(`+ ${row.technique}, ${site}, ${scheme}: ${result}\n`);
      }
    }
  }
  console.log(json ? JSON.stringify(rows, undefined, 2) : tableOf(rows));
  if (record)
    writeFileSync(join(import.meta.dirname, '..', 'RESULTS-attack.md'), report(rows, commit));
  return rows.every(isMet);
}

/** Each row has its own Guard, so that no row uses up the free pages of another or puts it under pressure. */
async function measureAlone(technique: Technique, site: Site, scheme: Scheme): Promise<Row> {
  const missing = await technique.findMissing?.();
  if (missing !== undefined) {
    const { name, atMost } = technique;
    const noAttempts = { attempts: 0, reached: 0, costMs: 0, stoppedBy: [] };
    return { technique: name, site, scheme, ...noAttempts, atMost, missing };
  }
  const testbed = await startTestbed();
  try {
    return await measure(testbed, technique, site, scheme);
  } finally {
    await testbed.close();
  }
}

async function measure(
  testbed: Testbed,
  { name, before, run, atMost }: Technique,
  site: Site,
  scheme: Scheme,
): Promise<Row> {
  const prefix = '/try/';
  const address = (host: number) => `127.20.0.${(host % 250) + 1}`;
  let ofPrograms = 0;
  const addCpuTime = (ms: number) => (ofPrograms += ms);
  const attack = { testbed, site, scheme, prefix, address, addCpuTime };
  await before?.(attack);
  const cpuBefore = process.cpuUsage();
  const attempts = await run(attack);
  const { user, system } = process.cpuUsage(cpuBefore);
  const { reasons, heldBack } = await testbed.decisions(prefix);
  const stoppedBy = [...reasons].sort(([, one], [, other]) => other - one);
  return {
    technique: name,
    site,
    scheme,
    attempts,
    reached: testbed.reached(prefix) - heldBack,
    costMs: ((user + system) / 1000 + ofPrograms) / attempts,
    stoppedBy: stoppedBy.map(([reason, count]) => `${reason} (${count})`),
    atMost,
  };
}

function isMet({ reached, atMost }: Row): boolean {
  return atMost === undefined || reached <= atMost;
}

function resultOf(row: Row): string {
  if (row.missing !== undefined) return `not run: ${row.missing}`;
  if (row.atMost === undefined) return 'no limit';
  return isMet(row) ? 'met' : 'MISSED';
}

function tableOf(rows: readonly Row[]): string {
  return markdown(
    ['technique', 'site', 'over', 'attempts', 'reached', 'CPU ms each', 'findings', 'goal', ''],
    rows.map((row) => [
      row.technique,
      row.site,
      row.scheme,
      String(row.attempts),
      String(row.reached),
      row.costMs.toFixed(1),
      row.stoppedBy.join(', ') || 'none',
      row.atMost === undefined ? '–' : `≤ ${row.atMost}`,
      resultOf(row),
    ]),
  );
}

/** What one processor of this machine needs for a known task, so that readers can compare machines. */
function describeMachine(): string {
  const before = process.cpuUsage();
  pbkdf2Sync('secret', 'salt', 1_000_000, 32, 'sha256');
  const ms = Math.round(process.cpuUsage(before).user / 1000);
  return `${cpus()[0]?.model ?? 'an unknown processor'}, which needs ${ms} ms for PBKDF2 with a million rounds of SHA-256`;
}

function report(rows: readonly Row[], commit: string): string {
  return `# What an attacker gets who has read the code

${tableOf(rows)}

- ${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.versions.node}
- ${describeMachine()}
- \`node eval/run.ts attack --record\` writes this file

## How it is made

Guard as users run it, in front of a site that records its visitors. **default** has the rule of the README without
its monitor mode, \`detect: true, challenge: auto\`; **strict** has \`challenge: always\`. Each row has its own Guard.
Rows with the handshakes of a browser use curl_cffi 0.16.3 (\`pip install curl_cffi\`). The site
counts "reached", without the pages that Guard holds back. "Findings" are the block reasons of all decisions, from SQL, also of decisions that allow. The
processor time is that of the attacking program, with its HTTP client.

A row with MISSED does not meet its goal. The solvers read the page without a browser and without the secret
(\`eval/attack/css-solver.ts\`, \`eval/attack/witness-solver.ts\`). The solver that loads the same files as a browser
passes, because an attacker who reads the code can compute the same as the code. The rows with one pass show what such
an attacker gets. These rows create their passes with the secret of this Guard, because they do not measure the
creation. \`npm run eval -- automation\` measures browsers that a driver controls.
`;
}
