import { clipList } from '../clip.ts';
import type { Source } from '../source.ts';

/** The languages this browser asks for. */
export const languages: Source<'languages'> = () => ({
  all: clipList(navigator.languages),
});
