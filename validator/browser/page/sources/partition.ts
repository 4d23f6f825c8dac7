import { isChromium } from '../is-chromium.ts';
import type { Source } from '../source.ts';

/** Longest wait for the messages of the frames, in milliseconds. On a busy machine the messages take a second. */
const WAIT_MS = 1_200;

/**
 * Whether the storage of a third-party frame is partitioned from this page. Between this page and the inner frame is a
 * frame without an origin (`data:`). So for the browser another site embeds the inner frame, although its page comes
 * from this host. Its messages on a BroadcastChannel must not arrive in this page. Chromium partitions such frames
 * since version 115, unless a switch on its command line disables this. Android is not tested, because WebView
 * partitions nothing.
 */
export const partition: Source<'partition'> = ({ echoUrl }) => {
  const isTested = isChromium() && !navigator.userAgent.includes('Android');
  if (echoUrl === undefined || !isTested || typeof BroadcastChannel === 'undefined')
    return undefined;
  const name = `guard-${Math.random()}`;
  const [receiver, sender] = [new BroadcastChannel(name), new BroadcastChannel(name)];
  const frame = document.createElement('iframe');
  const listening = new AbortController();
  const hasCrossed = new Promise<boolean>((resolve, reject) => {
    receiver.onmessage = ({ data }) => resolve(data === 'frame');
    // The frame has sent its message on the channel. This page now sends its own, which arrives after the message of
    // the frame.
    const onFrameMessage = ({ data }: MessageEvent) => data === name && sender.postMessage('page');
    addEventListener('message', onFrameMessage, listening);
    setTimeout(reject, WAIT_MS);
  });
  frame.style.display = 'none';
  frame.tabIndex = -1;
  frame.src = `data:text/html,${encodeURIComponent(`<iframe src="${echoUrl}#${name}">`)}`;
  document.documentElement.append(frame);
  return hasCrossed
    .then((crossed) => ({ crossed }))
    .finally(() => {
      frame.remove();
      listening.abort();
      receiver.close();
      sender.close();
    });
};
