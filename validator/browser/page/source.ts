import type { ReadingValue, SourceName } from '../../page-contract/evidence.ts';

/** The data that sources need. */
export interface SourceInput {
  /** The seed for the questions of this visit. */
  readonly ticket: string;
  /** The style sheet of this visit (src/challenge/cascade/sheet.ts). */
  readonly sheet: string;
  /** The questions of this visit (src/challenge/learned/). Empty without questions. */
  readonly questions: string;
  /** Absolute URL of the echo page (src/challenge/echo-page.ts). Undefined when this host has no echo page. */
  readonly echoUrl: string | undefined;
  /** Whether the page is Guard's own. On pages of a site, no source runs that continues in the background. */
  readonly isOwnPage: boolean;
  /** The window of an empty frame. Sources use it only before their first `await`. Undefined when there is no frame. */
  readonly inside: (Window & typeof globalThis) | undefined;
}

/**
 * Reads one fact about this browser. `undefined` means that the browser has no such fact. collect.ts turns an
 * exception, a rejection or a stall into a value.
 */
export type Source<N extends SourceName> = (
  input: SourceInput,
) => ReadingValue<N> | undefined | Promise<ReadingValue<N> | undefined>;
