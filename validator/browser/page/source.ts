import type { ReadingValue, SourceName } from '../../src/challenge/evidence.ts';

/**
 * Reads one thing about this browser. `undefined` means that the browser has no such thing; a
 * throw, a rejection or a stall is turned into a value by collect.ts.
 */
export type Source<N extends SourceName> = () =>
  ReadingValue<N> | undefined | Promise<ReadingValue<N> | undefined>;
