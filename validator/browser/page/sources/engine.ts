import { clip } from '../clip.ts';
import type { Source } from '../source.ts';

/** `navigator.vendor` shows the real engine, even when the browser claims to be another one. */
export const engine: Source<'engine'> = () => {
  const { vendor } = navigator as { vendor?: string };
  return { vendor: clip(vendor) };
};
