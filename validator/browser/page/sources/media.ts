import { clip } from '../clip.ts';
import { isChromium } from '../is-chromium.ts';
import type { Source } from '../source.ts';

/**
 * Whether this browser plays two licensed formats, and one format that every Chromium plays. No file is loaded. Runs
 * only in Chromium: other browsers ask the system for its formats, which takes time.
 */
export const media: Source<'media'> = () => {
  if (!isChromium()) return undefined;
  const player = document.createElement('video');
  const ask = (type: string) => ({
    plays: clip(player.canPlayType(type)),
    streams: typeof MediaSource === 'undefined' ? null : MediaSource.isTypeSupported(type),
  });
  return {
    h264: ask('video/mp4; codecs="avc1.42E01E"'),
    aac: ask('audio/mp4; codecs="mp4a.40.2"'),
    vp9: ask('video/webm; codecs="vp9"'),
  };
};
