import { clip } from '../clip.ts';
import type { Source } from '../source.ts';

/** ECMAScript's Temporal. Older browsers do not have it. */
interface Temporal {
  readonly Now: { timeZoneId(): string };
}

/**
 * Name of the time zone. Intl loads what it knows of a language before it says it, which takes the thread of the page
 * ten times as long as any other reading.
 */
export const timezone: Source<'timezone'> = () => {
  const { Temporal } = window as { readonly Temporal?: Temporal };
  return {
    name: clip(Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone),
  };
};
