import { clip } from '../clip.ts';
import type { Source } from '../source.ts';
import { box, inUnseenSquare } from '../unseen-square.ts';

/** What a desktop tells its browsers, and nothing tells one without a window. */
export const desktop: Source<'desktop'> = () =>
  inUnseenSquare((ground) => ({
    points: !matchMedia('(any-pointer:none)').matches,
    hovers: matchMedia('(any-hover)').matches,
    captionFont: clip(getComputedStyle(box(ground, 'font:caption')).font),
  }));
