import type { ReadingValue } from '../../../page-contract/evidence.ts';
import { elapsedMs } from '../elapsed.ts';

/** Maximum number of counted timers. Browsers run at most one in 4 ms, so this is one second. */
const MAX_TICKS = 250;

/**
 * Measures when the browser draws the first animation frame of the page, and how many timers run before. It adds no
 * waiting time, because it watches only until `otherReadings` is settled. A page inside a frame is not measured:
 * browsers draw nothing while the frame is out of view.
 */
export function painting(
  otherReadings: Promise<unknown>,
): Promise<ReadingValue<'painting'>> | undefined {
  if (window !== window.top) return undefined;
  const startedAt = performance.now();
  let visible = !document.hidden;
  let frameMs: number | null = null;
  let ticks = 0;
  let isWatching = true;
  const onVisibilityChange = () => {
    visible = false;
  };
  const tick = () => {
    if (!isWatching || frameMs !== null || ticks >= MAX_TICKS) return;
    ticks += 1;
    setTimeout(tick);
  };
  document.addEventListener('visibilitychange', onVisibilityChange);
  const frameRequest = requestAnimationFrame(() => {
    frameMs = elapsedMs(startedAt);
  });
  setTimeout(tick);
  return otherReadings.then(() => {
    isWatching = false;
    cancelAnimationFrame(frameRequest);
    document.removeEventListener('visibilitychange', onVisibilityChange);
    return { visible, frameMs, ticks, watchedMs: elapsedMs(startedAt) };
  });
}
