import type { Reason } from '@guard/config/contract/reasons';

/** Fields of a ticket with a valid MAC, even if the ticket is expired or spent. */
interface TicketFields {
  readonly organisation: string;
  readonly session: string;
  readonly reference: string;
}

/** All possible outcomes of an upload. */
export type Ending =
  /** `reasons` are the reasons for doubt. `noted` are findings that did not change the judgement. */
  | ({
      readonly kind: 'verified';
      readonly reasons: readonly Reason[];
      readonly noted: readonly Reason[];
    } & TicketFields)
  /** The page has to send the upload again with work. `reasons` are the reasons for doubt. */
  | ({ readonly kind: 'work'; readonly reasons: readonly Reason[] } & TicketFields)
  /** The upload is complete, and was judged automated. */
  | ({ readonly kind: 'rejected'; readonly reasons: readonly Reason[] } & TicketFields)
  /** The upload is no valid answer to a challenge. */
  | ({ readonly kind: 'failed'; readonly reasons: readonly [Reason] } & Partial<TicketFields>)
  /**
   * The page reports that the visitor left before the collector answered. The fields of the ticket are missing when
   * Guard already has such a report for the ticket, or when the ticket is not valid.
   */
  | ({ readonly kind: 'left'; readonly reasons: readonly [Reason] } & Partial<TicketFields>)
  /** The session store did not answer, so the fault is on Guard's side. */
  | ({ readonly kind: 'unavailable'; readonly reasons: readonly [] } & Partial<TicketFields>)
  /** The upload has no result, because there were too many uploads shortly before. The page has to wait. */
  | { readonly kind: 'limited'; readonly reasons: readonly [] };

/** The outcome of an upload and its sender, for metrics and events. */
export type CollectOutcome = Ending & { readonly ip: string; readonly userAgent: string };
