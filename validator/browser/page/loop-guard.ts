import { forget, recall, remember } from './tab-storage.ts';

const KEY = '_guard_runs';
const WINDOW_MS = 60_000;
/** Reloads of one URL within the window after which reloading again would only be a loop. */
const MAX_RELOADS = 3;

interface Run {
  readonly url: string;
  readonly at: number;
}

/** True when this URL was reloaded several times just now and has met a challenge once more. */
export function isLooping(): boolean {
  return recentRuns().filter(({ url }) => url === here()).length >= MAX_RELOADS;
}

/** Notes that this URL is about to be reloaded. */
export function noteReload(): void {
  const runs = [...recentRuns(), { url: here(), at: Date.now() }];
  remember(KEY, JSON.stringify(runs.slice(-10)));
}

/** A person asked to try again: that is no loop. */
export function forgetReloads(): void {
  forget(KEY);
}

function recentRuns(): Run[] {
  try {
    // Only noteReload writes it. Any other value fails the filter or the parser.
    const runs = JSON.parse(recall(KEY)) as Run[];
    return runs.filter(({ at }) => Math.abs(Date.now() - at) < WINDOW_MS);
  } catch {
    return [];
  }
}

/** The path without its host or fragment, cut: it only has to tell pages of one site apart. */
function here(): string {
  return (location.pathname + location.search).slice(0, 500);
}
