import { clipList } from '../clip.ts';
import type { Source } from '../source.ts';

export const languages: Source<'languages'> = () => ({
  all: clipList(navigator.languages),
});
