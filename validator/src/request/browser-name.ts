import type { Agent } from './agent.ts';

/**
 * The browser that a User-Agent claims, as events name it: `chrome`, `edge`, `opera`, `firefox`, `safari`;
 * `chromium` or `webkit` for others of that engine; empty for what is no browser in use.
 */
export function browserName({ crawler, engine, product, major }: Agent): string {
  if (crawler !== undefined) return '';
  switch (engine) {
    case 'chromium':
      return product === 'other' ? 'chromium' : product;
    case 'gecko':
      return 'firefox';
    case 'webkit':
      // Only Safari says its version in this place.
      return major > 0 ? 'safari' : 'webkit';
    case undefined:
      return '';
  }
}
