import { isChromium } from '../is-chromium.ts';
import type { Source } from '../source.ts';

/** Longest wait until the frames are there and have spoken, in milliseconds. On a busy machine they take a second. */
const WAIT_MS = 1_200;

/**
 * Whether a frame of another site is kept apart from this page. Between the two lies a frame of no
 * origin (`data:`), so that the innermost, although it is a page of this very host, counts as embedded
 * by a stranger: what it says on a BroadcastChannel must not be heard here. Chromium keeps such frames
 * apart since version 115, unless it was told not to on its command line. On Android the answer says
 * nothing (WebView keeps nothing apart), so phones are spared the question.
 */
export const partition: Source<'partition'> = ({ echoUrl }) => {
  const asked = isChromium() && !navigator.userAgent.includes('Android');
  if (echoUrl === undefined || !asked || typeof BroadcastChannel === 'undefined') return undefined;
  const name = `guard-${Math.random()}`;
  const [ear, mouth] = [new BroadcastChannel(name), new BroadcastChannel(name)];
  const frame = document.createElement('iframe');
  const spoken = new AbortController();
  const heard = new Promise<boolean>((resolve, reject) => {
    ear.onmessage = ({ data }) => resolve(data === 'frame');
    // It has said its word. Ours takes the same way, and so comes behind it.
    const onSpoken = ({ data }: MessageEvent) => data === name && mouth.postMessage('page');
    addEventListener('message', onSpoken, spoken);
    setTimeout(reject, WAIT_MS);
  });
  frame.style.display = 'none';
  frame.tabIndex = -1;
  frame.src = `data:text/html,${encodeURIComponent(`<iframe src="${echoUrl}#${name}">`)}`;
  document.documentElement.append(frame);
  return heard
    .then((crossed) => ({ crossed }))
    .finally(() => {
      frame.remove();
      spoken.abort();
      ear.close();
      mouth.close();
    });
};
