import type { Reason } from '@guard/config/contract/reasons';
import type { BrowserClaim } from '../../../request/browser-claim.ts';
import type { Evidence } from '../../../../page-contract/evidence.ts';

export interface RequestFacts {
  readonly userAgent: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Country of its address: ISO 3166-1 alpha-2 in upper case. Empty when unknown. */
  readonly country: string;
  /** Findings of the signals that the page's request did not have, and findings about rare answers. */
  readonly found: readonly Reason[];
}

/** All data that a judge may use. */
export interface Case {
  readonly evidence: Evidence;
  readonly request: RequestFacts;
  /** What the User-Agent of the page claims. */
  readonly claim: BrowserClaim;
  /** Correct widths for the style sheet: one list for each secret that may have issued it. */
  readonly cascades: readonly (readonly number[])[];
}

/**
 * Looks for one kind of contradiction, or for one trait that only automation has. Returns undefined when there is none.
 * A missing reading is no evidence, because privacy tools and old or small browsers hide a lot.
 */
export type Judge = (theCase: Case) => Reason | undefined;
