import { finite } from '../clip.ts';
import type { Source } from '../source.ts';

/** How many plug-ins are listed: five with a PDF viewer, by HTML's own rule. */
export const plugins: Source<'plugins'> = () => {
  const list: { readonly length: number } = navigator.plugins;
  return { plugins: finite(list.length) };
};
