import { isChromium } from '../is-chromium.ts';
import type { Source } from '../source.ts';

/** Longest wait for the messages of the frames, in milliseconds. On a busy machine they take a second. */
const WAIT_MS = 1_200;

/**
 * Whether the storage of a third-party frame is partitioned from this page. Between this page and the inner frame is a
 * frame without an origin (`data:`). So the inner frame counts as embedded by a stranger, although it is a page of this
 * host, and its messages on a BroadcastChannel must not arrive here. Chromium partitions such frames since version 115,
 * unless its command line switches this off. On Android the answer means nothing (WebView partitions nothing), so
 * phones are not tested.
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
    // The frame has sent its message. The message of this page takes the same way, so it arrives later.
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
