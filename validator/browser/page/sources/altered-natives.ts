import { clipList } from '../clip.ts';
import { isNative } from '../native-code.ts';
import { watchedNatives } from '../natives.ts';
import type { Source } from '../source.ts';

/** Natives that print as something else. Privacy extensions replace some too: facts, not a verdict. */
export const alteredNatives: Source<'alteredNatives'> = () => {
  const altered = watchedNatives().filter(
    ([, native]) => native !== undefined && !isNative(native),
  );
  return clipList(altered.map(([name]) => name));
};
