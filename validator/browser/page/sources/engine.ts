import { clip } from '../clip.ts';
import type { Source } from '../source.ts';

/** Which engine this is, whatever it calls itself. */
export const engine: Source<'engine'> = () => {
  const { vendor } = navigator as { vendor?: string };
  return { vendor: clip(vendor) };
};
