import { finite } from '../clip.ts';
import type { Source } from '../source.ts';

/** How many plug-ins and types are listed: five and two with a PDF viewer, by HTML's own rule. */
export const plugins: Source<'plugins'> = () => ({
  plugins: countOf(navigator.plugins),
  mimeTypes: countOf(navigator.mimeTypes),
});

function countOf(list: { readonly length: number }): number {
  return finite(list.length);
}
