import { clipList } from '../clip.ts';
import type { Source } from '../source.ts';

/** What `window.chrome` holds: an object in Chromium with a window, absent in the headless shell. */
export const chrome: Source<'chrome'> = () => {
  const { chrome: object } = window as Window & { readonly chrome?: object };
  return object ? clipList(Object.getOwnPropertyNames(object)) : undefined;
};
