import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSlowLine } from '../../test/kit/visitors/slow-line.ts';
import { startDisplay } from '../../test/kit/browsers/virtual-display.ts';
import { type RecordedDecision, type Testbed, startTestbed } from '../automation/testbed.ts';
import { withFreshProfile } from '../automation/fresh-profile.ts';
import { commitOf } from '../automation/report.ts';
import { chromiumScenarios } from './chromium-settings.ts';
import { firefoxScenarios } from './firefox-settings.ts';
import { peopleReport, peopleTable, type Row, totalsOf } from './report.ts';
import type { Scenario } from './scenario.ts';
import { type Target, visitOf } from './visit.ts';

export interface PeopleOptions {
  /** The number of people, each with a new profile, for each setting. */
  readonly profiles: number;
  /** Only settings with this text in their engine and name are measured. Empty means all settings. */
  readonly only: string;
  readonly json: boolean;
  readonly record: boolean;
}

/** A slow line delays each piece of an answer by this many milliseconds. */
const SLOW_MS = 300;
/** A lossy line cuts one connection of this many. */
const LOSSY_EACH = 3;

/**
 * Maximum number of starts of a browser. On a busy machine a browser sometimes opens no window. That is no fault of
 * Guard.
 */
const MAX_STARTS = 3;

/** Measures people with unusual settings and prints the table. True when none was blocked and 99 % arrived. */
export async function runPeople({ profiles, only, json, record }: PeopleOptions): Promise<boolean> {
  const allScenarios: readonly Scenario[] = [...chromiumScenarios, ...firefoxScenarios];
  const chosen = allScenarios.filter(({ engine, name }) => `${engine} ${name}`.includes(only));
  if (chosen.length === 0) throw new TypeError(`--only ${only}: no such setting`);
  const commit = commitOf();
  const startedAt = Date.now();
  const rows: Row[] = [];
  const testbed = await startTestbed();
  const display = await startDisplay();
  try {
    for (const setting of chosen) {
      const prefix = `/people/${rows.length}/`;
      const row = await measure(testbed, setting, { profiles, display: display.name, prefix });
      rows.push(row);
      process.stderr.write(
        `${rows.length} of ${chosen.length}: ${setting.engine}, ${setting.name}: ${row.admitted} of ${profiles} admitted\n`,
      );
    }
  } finally {
    await display.close();
    await testbed.close();
  }
  const minutes = Math.round((Date.now() - startedAt) / 60_000);
  console.log(json ? JSON.stringify(rows, undefined, 2) : peopleTable(rows));
  if (record) {
    const file = join(import.meta.dirname, '..', 'RESULTS-people.md');
    writeFileSync(file, peopleReport(rows, { commit, minutes, versions: versions() }));
  }
  return totalsOf(rows).met;
}

interface Run {
  readonly profiles: number;
  readonly display: string;
  readonly prefix: string;
}

/** Measures the people with one setting, one after the other. */
async function measure(
  testbed: Testbed,
  setting: Scenario,
  { profiles, display, prefix }: Run,
): Promise<Row> {
  const { target, close } = await lineTo(testbed, setting.line);
  const visits: (readonly string[])[] = [];
  const brokenScenarios = new Set<string>();
  for (let profile = 1; profile <= profiles; profile += 1) {
    const opened = await openedOf((starts) =>
      withFreshProfile(display, (resources) =>
        visitOf(setting, resources, target, `${prefix}${profile}/${starts}/`),
      ),
    );
    if (typeof opened === 'string') brokenScenarios.add(opened);
    else visits.push(opened);
  }
  const decisions = await testbed.decisions(prefix);
  await close();
  const byPath = Map.groupBy(decisions, ({ path }) => path);
  const reasonsOf = (path: string) => byPath.get(path) ?? [];
  const count = (is: (paths: readonly string[]) => boolean) => visits.filter(is).length;
  const challenges = (paths: readonly string[]) =>
    paths.flatMap(reasonsOf).filter(({ action }) => action === 'challenge').length;
  return {
    engine: setting.engine,
    setting: setting.name,
    profiles: visits.length,
    admitted: count((paths) => paths.every((path) => testbed.wasReached(path))),
    askedAgain: count((paths) => challenges(paths) > paths.length),
    blocked: count((paths) => paths.flatMap(reasonsOf).some(({ action }) => action === 'block')),
    ms: visits.flat().flatMap((path) => timeTo(reasonsOf(path)) ?? []),
    reasons: [...new Set(decisions.flatMap(({ block_reasons }) => block_reasons))],
    broke: [...brokenScenarios],
  };
}

/** Returns the paths of a visit, or the error of the last start. */
async function openedOf(
  visit: (starts: number) => Promise<readonly string[]>,
): Promise<readonly string[] | string> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await visit(starts);
    } catch (error) {
      const why = error instanceof Error ? error.message.split('\n', 1) : [String(error)];
      if (starts === MAX_STARTS) return why.join('');
    }
  }
}

/**
 * Returns the milliseconds from the first request for a page until Guard allowed it. Undefined when Guard did not allow
 * it.
 */
function timeTo(decisions: readonly RecordedDecision[]): number | undefined {
  const allowed = decisions.find(({ action }) => action === 'allow');
  const [first] = decisions;
  return allowed === undefined || first === undefined ? undefined : allowed.at - first.at;
}

async function lineTo(
  testbed: Testbed,
  line: Scenario['line'],
): Promise<{ readonly target: Target; readonly close: () => Promise<void> }> {
  const urlOf = (path: string) => testbed.urlOf('strict', path);
  const wasReached: Target['wasReached'] = (path) => testbed.wasReached(path);
  if (line === undefined) {
    return { target: { urlOf, wasReached }, close: () => Promise.resolve() };
  }
  const between = await openSlowLine(Number(new URL(urlOf('/')).port));
  if (line === 'slow') between.delayMs = SLOW_MS;
  else between.cutsEach = LOSSY_EACH;
  const overLine = (path: string) => {
    const url = new URL(urlOf(path));
    url.port = String(between.port);
    return url.href;
  };
  return { target: { urlOf: overLine, wasReached }, close: () => between.close() };
}

function versions(): string {
  return ['chromium', 'firefox-esr']
    .map((program) => spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim())
    .join(', ');
}
