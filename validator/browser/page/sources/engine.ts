import { clip } from '../clip.ts';
import type { Source } from '../source.ts';

/** The real engine, with any name. */
export const engine: Source<'engine'> = () => {
  const { vendor } = navigator as { vendor?: string };
  return { vendor: clip(vendor) };
};
