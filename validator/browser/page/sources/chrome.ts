import type { Source } from '../source.ts';

/** Whether there is `window.chrome`: an object in Chromium with a window, absent in the headless shell. */
export const chrome: Source<'chrome'> = () => {
  const { chrome: object } = window as Window & { readonly chrome?: object };
  return object ? true : undefined;
};
