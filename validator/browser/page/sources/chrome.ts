import type { Source } from '../source.ts';

/** Whether `window.chrome` exists. Chromium with a window has this object, and the headless shell does not. */
export const chrome: Source<'chrome'> = () => {
  const { chrome: object } = window as Window & { readonly chrome?: object };
  return object ? true : undefined;
};
