import { forget, recall, remember } from './tab-storage.ts';

const STORAGE_KEY = '_guard_runs';
const WINDOW_MS = 60_000;
/** A URL that was reloaded this often within WINDOW_MS is in a loop. */
const MAX_RELOADS = 3;

interface Run {
  readonly url: string;
  readonly at: number;
}

/** True when this URL was reloaded several times and was challenged again. */
export function isLooping(): boolean {
  return recentRuns().filter(({ url }) => url === shortPath()).length >= MAX_RELOADS;
}

/** Records a reload of this URL. */
export function noteReload(): void {
  const runs = [...recentRuns(), { url: shortPath(), at: Date.now() }];
  remember(STORAGE_KEY, JSON.stringify(runs.slice(-10)));
}

/** Forgets the reloads. Called when a person clicks to try again, because a click is no loop. */
export function forgetReloads(): void {
  forget(STORAGE_KEY);
}

function recentRuns(): Run[] {
  try {
    // Only noteReload writes this value. Another value makes the parser or the filter throw.
    const runs = JSON.parse(recall(STORAGE_KEY)) as Run[];
    return runs.filter(({ at }) => Math.abs(Date.now() - at) < WINDOW_MS);
  } catch {
    return [];
  }
}

/** The path and the query, cut to 500 characters. They only have to distinguish pages of one site. */
function shortPath(): string {
  return (location.pathname + location.search).slice(0, 500);
}
