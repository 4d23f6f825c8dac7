import type { ReadingValue, SourceName } from '../../page-contract/evidence.ts';

/** What a source may need beside its own window. */
export interface Ground {
  /** What the questions of this visit are drawn from. */
  readonly ticket: string;
  /** The style sheet of this visit (src/challenge/cascade/sheet.ts). */
  readonly sheet: string;
  /** What this visit is asked (src/challenge/learned/); empty for nothing. */
  readonly questions: string;
  /** Absolute URL of the echo page (src/challenge/echo-page.ts); undefined where this host has none. */
  readonly echoUrl: string | undefined;
  /** The page is Guard's own. What works on in the background is kept out of the pages of a site. */
  readonly isOwnPage: boolean;
  /** The window of an empty frame, while a source runs without waiting; undefined when there is none. */
  readonly inside: (Window & typeof globalThis) | undefined;
}

/**
 * Reads one thing about this browser. `undefined` means that the browser has no such thing; a
 * throw, a rejection or a stall is turned into a value by collect.ts.
 */
export type Source<N extends SourceName> = (
  ground: Ground,
) => ReadingValue<N> | undefined | Promise<ReadingValue<N> | undefined>;
