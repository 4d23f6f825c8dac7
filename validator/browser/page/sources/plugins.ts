import { finite } from '../clip.ts';
import type { Source } from '../source.ts';

/** Number of listed plug-ins. The HTML standard requires five with a PDF viewer. */
export const plugins: Source<'plugins'> = () => {
  const list: { readonly length: number } = navigator.plugins;
  return { plugins: finite(list.length) };
};
