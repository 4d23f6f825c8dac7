import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitOf } from '../automation/report.ts';
import { markdown } from '../tables.ts';
import { type Ground, type Scheme, type Site, startGround } from './ground.ts';
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
  /** Why it was not run. */
  readonly missing?: string;
}

export interface AttackOptions {
  /** Only techniques whose name contains this text; all when it is empty. */
  readonly only: string;
  readonly json: boolean;
  readonly record: boolean;
}

/** Tries the techniques, prints the table; true when every goal was met. */
export async function runAttack({ only, json, record }: AttackOptions): Promise<boolean> {
  const chosen = techniques.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new TypeError(`--only ${only}: no such technique`);
  const commit = commitOf();
  const ground = await startGround();
  const rows: Row[] = [];
  try {
    for (const technique of chosen) {
      for (const site of technique.sites) {
        for (const scheme of technique.schemes) {
          const row = await measure(ground, technique, site, scheme, rows.length);
          rows.push(row);
          const result = row.missing ?? `${row.reached} of ${row.attempts} reached`;
          process.stderr.write(`+ ${row.technique}, ${site}, ${scheme}: ${result}\n`);
        }
      }
    }
  } finally {
    await ground.close();
  }
  console.log(json ? JSON.stringify(rows, undefined, 2) : tableOf(rows));
  if (record)
    writeFileSync(join(import.meta.dirname, '..', 'RESULTS-attack.md'), report(rows, commit));
  return rows.every(isMet);
}

async function measure(
  ground: Ground,
  { name, before, run, atMost, missing }: Technique,
  site: Site,
  scheme: Scheme,
  number: number,
): Promise<Row> {
  const prefix = `/try/${number}/`;
  // Each run has a /24 of its own, so that none uses up the budgets of another.
  const address = (host: number) => `127.${20 + number}.0.${(host % 250) + 1}`;
  let ofPrograms = 0;
  const alsoSpent = (ms: number) => (ofPrograms += ms);
  const field = { ground, site, scheme, prefix, address, alsoSpent };
  const lacks = await missing?.();
  if (lacks !== undefined) {
    const nothing = { attempts: 0, reached: 0, costMs: 0, stoppedBy: [] };
    return { technique: name, site, scheme, ...nothing, atMost, missing: lacks };
  }
  await before?.(field);
  const started = process.cpuUsage();
  const attempts = await run(field);
  const { user, system } = process.cpuUsage(started);
  const reasons = [...(await ground.reasons(prefix))].sort(([, one], [, other]) => other - one);
  return {
    technique: name,
    site,
    scheme,
    attempts,
    reached: ground.reached(prefix),
    costMs: ((user + system) / 1000 + ofPrograms) / attempts,
    stoppedBy: reasons.map(([reason, count]) => `${reason} (${count})`),
    atMost,
  };
}

function isMet({ reached, atMost }: Row): boolean {
  return atMost === undefined || reached <= atMost;
}

function resultOf(row: Row): string {
  if (row.missing !== undefined) return `not run: ${row.missing}`;
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

function report(rows: readonly Row[], commit: string): string {
  return `# What an attacker gets who has read the code

${tableOf(rows)}

- ${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.versions.node}
- \`node eval/run.ts attack --record\` writes this file

## How it is made

Guard as its users run it, before a site that remembers who reached it. **default** has the rule of the README without
its monitor mode, \`detect: true, challenge: auto\`; **strict** has \`challenge: always\`. Each row has a /24 of loopback
addresses of its own. Rows with the handshakes of a browser are made with curl_cffi 0.16.3 (\`pip install curl_cffi\`). "Reached" is what the site says. "Findings" are the block reasons of all decisions, in SQL, also of
those that let pass. The processor time is that of the attacking program, with its HTTP client.

Rows that say MISSED are not held. The solvers read the page without a browser and without the secret
(\`eval/attack/css-solver.ts\`, \`eval/attack/witness-solver.ts\`). The one that loads what a browser loads passes: who reads
the code can do what the code computes. What it gets then, the rows on one pass say. Passes of those rows are made with the
secret of this Guard, because their making is not what is measured. Browsers that are driven are measured by
\`npm run eval -- automation\`.
`;
}
