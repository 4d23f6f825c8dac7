import type { Decided, Ground, Protection } from './ground.ts';
import { inFreshPlace } from './place.ts';
import type { Visit } from './tool.ts';

/** How the visits of one tool to one site ended. */
export interface Visits {
  /** Visits in which the tool itself did not break. */
  readonly made: number;
  readonly reached: number;
  /** First lines of what broke, each once. */
  readonly broke: readonly string[];
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

/** Makes the visits to the site, one behind the other, and asks the servers how each ended. */
export async function measure(
  ground: Ground,
  visit: Visit,
  { protection, runs, display, name }: MeasureOptions,
): Promise<Visits> {
  const prefix = `/visit/${name}/`;
  const made: string[] = [];
  const broke = new Set<string>();
  for (let run = 1; run <= runs; run += 1) {
    const path = `${prefix}${run}`;
    try {
      await inFreshPlace(display, (place) => visit(ground.urlOf(protection, path), place));
      made.push(path);
    } catch (error) {
      broke.add(firstLine(error));
    }
  }
  const decisions = await ground.decisions(prefix);
  const byPath = Map.groupBy(decisions, ({ path }) => path);
  // A browser that never came to the gateway was not stopped by it.
  const arrived = made.filter((path) => byPath.has(path));
  if (arrived.length < made.length) broke.add('did not send a request');
  return {
    made: arrived.length,
    reached: arrived.filter((path) => ground.wasReached(path)).length,
    broke: [...broke],
    reasons: reasonsOf(arrived.map((path) => byPath.get(path) ?? [])),
    mostRequests: Math.max(0, ...arrived.map((path) => byPath.get(path)?.length ?? 0)),
  };
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
