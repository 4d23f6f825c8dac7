import { clip } from '../clip.ts';
import type { Source } from '../source.ts';
import { addBox, measureInUnseenSquare } from '../unseen-square.ts';

/** Facts that a browser gets from its desktop. A browser without a window does not get them. */
export const desktop: Source<'desktop'> = () =>
  measureInUnseenSquare((shadow) => ({
    points: !matchMedia('(any-pointer:none)').matches,
    hovers: matchMedia('(any-hover)').matches,
    captionFont: clip(getComputedStyle(addBox(shadow, 'font:caption')).font),
  }));
