import { clip } from '../clip.ts';
import type { Source } from '../source.ts';

/** Name of the time zone. */
export const timezone: Source<'timezone'> = () => ({
  name: clip(Intl.DateTimeFormat().resolvedOptions().timeZone),
});
