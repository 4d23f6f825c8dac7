import { finite } from '../clip.ts';
import type { Source } from '../source.ts';

/** Sizes of screen, window, viewport and scroll bar, in CSS pixels. */
export const screenSizes: Source<'screen'> = () => ({
  width: finite(screen.width),
  height: finite(screen.height),
  outerWidth: finite(outerWidth),
  outerHeight: finite(outerHeight),
  innerWidth: finite(innerWidth),
  innerHeight: finite(innerHeight),
  scrollBar: scrollBarWidth(),
});

function scrollBarWidth(): number {
  const box = document.createElement('div');
  box.style.cssText =
    'all:initial;position:fixed;width:99px;height:99px;overflow:scroll;visibility:hidden';
  document.documentElement.append(box);
  const width = box.offsetWidth - box.clientWidth;
  box.remove();
  return finite(width);
}
