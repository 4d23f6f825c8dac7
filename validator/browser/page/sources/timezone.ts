import { clip, finite } from '../clip.ts';
import type { Source } from '../source.ts';

/** Name of the time zone and its offset from UTC now. */
export const timezone: Source<'timezone'> = () => ({
  name: clip(Intl.DateTimeFormat().resolvedOptions().timeZone),
  offsetMinutes: finite(new Date().getTimezoneOffset()),
});
