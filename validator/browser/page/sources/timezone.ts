import { clip } from '../clip.ts';
import type { Source } from '../source.ts';

/** Temporal of ECMAScript. Older browsers do not have it. */
interface Temporal {
  readonly Now: { timeZoneId(): string };
}

/**
 * Name of the time zone. Temporal is preferred: Intl first loads data of the language, which blocks the page ten times
 * as long as any other reading.
 */
export const timezone: Source<'timezone'> = () => {
  const { Temporal } = window as { readonly Temporal?: Temporal };
  return {
    name: clip(Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone),
  };
};
