import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureAll, type Row } from './measure-all.ts';
import { automationTable, commitOf, report } from './report.ts';
import { tools } from './tool-list.ts';
import { isMet } from './verdict.ts';

export interface AutomationOptions {
  /** The number of visits of each tool to the site that challenges every session. */
  readonly runs: number;
  /** The number of visits of a person's browser to this site. */
  readonly peopleRuns: number;
  /** The number of visits of each tool to the site that challenges only doubtful sessions. */
  readonly plainRuns: number;
  /** Only tools with this text in their name and variant are measured. Empty means all tools. */
  readonly only: string;
  readonly dump: string | undefined;
  readonly json: boolean;
  readonly record: boolean;
}

/** Measures the tools and prints the table. True when every goal was met. */
export async function runAutomation(options: AutomationOptions): Promise<boolean> {
  const { runs, peopleRuns, plainRuns, only, dump, json, record } = options;
  const chosen = tools.filter(({ name, variant }) => `${name} ${variant}`.includes(only));
  if (chosen.length === 0) throw new TypeError(`--only ${only}: no such tool`);
  const commit = commitOf();
  const rows = await measureAll({
    tools: chosen,
    runs: { strict: runs, plain: plainRuns },
    peopleRuns,
    dump,
    onRow: (row) => process.stderr.write(`${progressOf(row)}\n`),
  });
  console.log(json ? JSON.stringify(rows.map(plainRow), undefined, 2) : automationTable(rows));
  if (record)
    writeFileSync(join(import.meta.dirname, '..', 'RESULTS-automation.md'), report(rows, commit));
  return rows.every((row) => isMet(row) !== false);
}

function progressOf(row: Row): string {
  const { name, variant } = row.tool;
  if (row.kind === 'not run') return `- ${name}, ${variant}: ${row.why}`;
  const { made, reached } = row.strict;
  return `+ ${name}, ${variant}: ${made - reached} of ${made} stopped`;
}

/** Returns a row for JSON, without maps and functions. */
function plainRow(row: Row) {
  const { name, variant, goal } = row.tool;
  const tool = { name, variant, goal, met: isMet(row) ?? null };
  if (row.kind === 'not run') return { ...tool, notRun: row.why };
  const { strict, plain } = row;
  return {
    ...tool,
    strict: { ...strict, reasons: Object.fromEntries(strict.reasons) },
    plain: { ...plain, reasons: Object.fromEntries(plain.reasons) },
  };
}
