import type { Decided, Ground, Protection } from './ground.ts';
import { inFreshPlace } from './place.ts';
import type { Visit } from './tool.ts';

/** How often a visit is started again whose browser never came: a busy machine failed it, not Guard. */
const MAX_RESTARTS = 2;

/** How the visits of one tool to one site ended. */
export interface Visits {
  /** Visits in which the tool itself did not break. */
  readonly made: number;
  readonly reached: number;
  /** First lines of what broke and stayed so, each once. */
  readonly broke: readonly string[];
  /** Visits that were started again, each time counted. */
  readonly restarts: number;
  /** What gave it away: block reasons, each with the number of visits that had it. */
  readonly reasons: ReadonlyMap<string, number>;
  /** Most requests for the page in one visit: two are one reload. */
  readonly mostRequests: number;
}

export interface MeasureOptions {
  readonly protection: Protection;
  readonly runs: number;
  readonly display: string;
  /** Distinguishes the paths of this tool from those of every other. */
  readonly name: string;
}

/** How the last attempt at one visit ended for the tool: what broke, or undefined. */
type Attempts = Map<string, string | undefined>;

/**
 * Makes the visits to the site, one behind the other, and asks the servers how each ended. One that
 * no request came of is started again.
 */
export async function measure(
  ground: Ground,
  visit: Visit,
  { protection, runs, display, name }: MeasureOptions,
): Promise<Visits> {
  const prefix = `/visit/${name}/`;
  const paths = Array.from({ length: runs }, (_, run) => `${prefix}${run + 1}`);
  const attempts: Attempts = new Map();
  let byPath = new Map<string, Decided[]>();
  let missing = paths;
  let restarts = 0;
  for (let again = 0; again <= MAX_RESTARTS && missing.length > 0; again += 1) {
    if (again > 0) restarts += missing.length;
    for (const path of missing) {
      const url = ground.urlOf(protection, path);
      attempts.set(
        path,
        await inFreshPlace(display, (place) => whatBroke(() => visit(url, place))),
      );
    }
    byPath = Map.groupBy(await ground.decisions(prefix), ({ path }) => path);
    missing = paths.filter((path) => !byPath.has(path));
  }
  // A browser that never came to the gateway was not stopped by it.
  const made = paths.filter((path) => byPath.has(path) && attempts.get(path) === undefined);
  return {
    made: made.length,
    reached: made.filter((path) => ground.wasReached(path)).length,
    broke: failures(attempts, new Set(missing)),
    restarts,
    reasons: reasonsOf(made.map((path) => byPath.get(path) ?? [])),
    mostRequests: Math.max(0, ...made.map((path) => byPath.get(path)?.length ?? 0)),
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

function reasonsOf(visits: readonly (readonly Decided[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const decisions of visits) {
    const given = new Set(decisions.flatMap(({ block_reasons }) => block_reasons));
    for (const reason of given) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n', 1)[0] ?? '').slice(0, 160);
}
