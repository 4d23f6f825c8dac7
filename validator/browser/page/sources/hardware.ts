import { finite } from '../clip.ts';
import type { Source } from '../source.ts';

/** Touch points, as far as the browser reports them. */
export const hardware: Source<'hardware'> = () => ({
  touchPoints: finite(navigator.maxTouchPoints),
});
