import { clip } from '../clip.ts';
import type { Source } from '../source.ts';

/** Which engine this is, whatever it calls itself. */
export const engine: Source<'engine'> = () => {
  const { vendor, productSub } = navigator as { vendor?: string; productSub?: string };
  return {
    vendor: clip(vendor),
    productSub: clip(productSub),
    mozCss: CSS.supports('-moz-appearance', 'none'),
  };
};
