import { finite } from '../clip.ts';
import type { Source } from '../source.ts';

export const hardware: Source<'hardware'> = () => ({
  touchPoints: finite(navigator.maxTouchPoints),
});
