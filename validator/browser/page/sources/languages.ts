import { clip, clipList } from '../clip.ts';
import type { Source } from '../source.ts';

/** The languages this browser asks for. */
export const languages: Source<'languages'> = () => ({
  first: clip(navigator.language),
  all: clipList(navigator.languages),
});
