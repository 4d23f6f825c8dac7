import type { RecordedDecision, Testbed, Protection } from './testbed.ts';
import { withFreshProfile } from './fresh-profile.ts';
import type { Visit } from './tool.ts';

/**
 * Maximum number of restarts of a visit whose browser sent no request. The cause of such a visit is a busy machine and
 * not Guard.
 */
const MAX_RESTARTS = 2;

/** The results of the visits of one tool to one site. */
export interface Visits {
  /** The number of visits in which the tool did not fail. */
  readonly made: number;
  readonly reached: number;
  /** The first lines of the errors after all restarts, without duplicates. */
  readonly broke: readonly string[];
  /** Number of restarts of visits. */
  readonly restarts: number;
  /** The block reasons, with the number of visits for each reason. */
  readonly reasons: ReadonlyMap<string, number>;
  /** Maximum number of requests for the page in one visit. Two requests are one reload. */
  readonly maxRequests: number;
}

export interface MeasureOptions {
  readonly protection: Protection;
  readonly runs: number;
  readonly display: string;
  /** A part of the paths that differs for each tool. */
  readonly name: string;
}

/** For each path, the error of the last attempt, or undefined. */
type Attempts = Map<string, string | undefined>;

/**
 * Makes the visits one after the other, and takes their results from the site and from Guard's events. A visit without
 * a request is started again.
 */
export async function measure(
  testbed: Testbed,
  visit: Visit,
  { protection, runs, display, name }: MeasureOptions,
): Promise<Visits> {
  const prefix = `/visit/${name}/`;
  const paths = Array.from({ length: runs }, (_, run) => `${prefix}${run + 1}`);
  const attempts: Attempts = new Map();
  let byPath = new Map<string, RecordedDecision[]>();
  let missingPaths = paths;
  let restarts = 0;
  for (let again = 0; again <= MAX_RESTARTS && missingPaths.length > 0; again += 1) {
    if (again > 0) restarts += missingPaths.length;
    for (const path of missingPaths) {
      const url = testbed.urlOf(protection, path);
      attempts.set(
        path,
        await withFreshProfile(display, (resources) => whatBroke(() => visit(url, resources))),
      );
    }
    byPath = Map.groupBy(await testbed.decisions(prefix), ({ path }) => path);
    missingPaths = paths.filter((path) => !byPath.has(path));
  }
  // A browser that sent no request was not stopped by Guard, so its visit is not counted.
  const visitedPaths = paths.filter((path) => byPath.has(path) && attempts.get(path) === undefined);
  return {
    made: visitedPaths.length,
    reached: visitedPaths.filter((path) => testbed.wasReached(path)).length,
    broke: failures(attempts, new Set(missingPaths)),
    restarts,
    reasons: reasonsOf(visitedPaths.map((path) => byPath.get(path) ?? [])),
    maxRequests: Math.max(0, ...visitedPaths.map((path) => byPath.get(path)?.length ?? 0)),
  };
}

async function whatBroke(visit: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await visit();
    return undefined;
  } catch (error) {
    return firstLine(error);
  }
}

function failures(attempts: Attempts, missing: ReadonlySet<string>): string[] {
  const all = [...attempts].map(
    ([path, broke]) => broke ?? (missing.has(path) ? 'did not send a request' : undefined),
  );
  return [...new Set(all.filter((each) => each !== undefined))];
}

function reasonsOf(visits: readonly (readonly RecordedDecision[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const decisions of visits) {
    const blockReasons = new Set(decisions.flatMap(({ block_reasons }) => block_reasons));
    for (const reason of blockReasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n', 1)[0] ?? '').slice(0, 160);
}
