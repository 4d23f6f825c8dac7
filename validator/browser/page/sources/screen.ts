import { finite } from '../clip.ts';
import type { Source } from '../source.ts';

/** Sizes of screen, window and viewport, in CSS pixels. */
export const screenSizes: Source<'screen'> = () => ({
  width: finite(screen.width),
  height: finite(screen.height),
  availWidth: finite(screen.availWidth),
  availHeight: finite(screen.availHeight),
  outerWidth: finite(outerWidth),
  outerHeight: finite(outerHeight),
  innerWidth: finite(innerWidth),
  innerHeight: finite(innerHeight),
  pixelRatio: finite(devicePixelRatio),
});
