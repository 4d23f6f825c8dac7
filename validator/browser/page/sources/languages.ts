import { clipList } from '../clip.ts';
import type { Source } from '../source.ts';

/** The languages that this browser requests. */
export const languages: Source<'languages'> = () => ({
  all: clipList(navigator.languages),
});
