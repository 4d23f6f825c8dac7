import type { Reason } from '@guard/config/contract/reasons';

/** What is reported of a ticket with a valid MAC, also of one that is expired or spent. */
interface Subject {
  readonly organisation: string;
  readonly session: string;
  readonly reference: string;
}

/** The closed list of ways an upload can end. */
export type Ending =
  /** With the reasons to doubt the visitor, and with findings that changed nothing. */
  | ({
      readonly kind: 'verified';
      readonly reasons: readonly Reason[];
      readonly noted: readonly Reason[];
    } & Subject)
  /** The upload has to come again with work. With what the visitor was doubted for. */
  | ({ readonly kind: 'work'; readonly reasons: readonly Reason[] } & Subject)
  /** Answered in order, and judged automated. */
  | ({ readonly kind: 'rejected'; readonly reasons: readonly Reason[] } & Subject)
  /** Not an answer to a live challenge. */
  | ({ readonly kind: 'failed'; readonly reasons: readonly [Reason] } & Partial<Subject>)
  /** The page was left before it had an answer. Without a subject where that is known already. */
  | ({ readonly kind: 'left'; readonly reasons: readonly [Reason] } & Partial<Subject>)
  /** The session store did not answer: the fault is ours. */
  | ({ readonly kind: 'unavailable'; readonly reasons: readonly [] } & Partial<Subject>)
  /** Not read: its network had uploaded too much just before. */
  | { readonly kind: 'limited'; readonly reasons: readonly [] };

/** How an upload ended and who sent it, for metrics and events. */
export type CollectOutcome = Ending & { readonly ip: string; readonly userAgent: string };
