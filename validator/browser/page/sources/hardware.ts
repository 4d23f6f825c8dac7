import { finite } from '../clip.ts';
import type { Source } from '../source.ts';

/** Processor threads and touch points, as far as the browser admits them. */
export const hardware: Source<'hardware'> = () => ({
  concurrency: finite(navigator.hardwareConcurrency),
  touchPoints: finite(navigator.maxTouchPoints),
});
