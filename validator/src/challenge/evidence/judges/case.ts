import type { Reason } from '@guard/config/contract/reasons';
import type { BrowserClaim } from '../../../request/browser-claim.ts';
import type { Evidence } from '../../../../page-contract/evidence.ts';

export interface RequestFacts {
  readonly userAgent: string;
  /** The headers of the upload. Their names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Country of the upload's address: ISO 3166-1 alpha-2 in upper case. Empty when unknown. */
  readonly country: string;
  /** Findings of the signals in this request that the page's request did not have, and findings about rare answers. */
  readonly found: readonly Reason[];
}

/** All data for the judges. */
export interface Case {
  readonly evidence: Evidence;
  readonly request: RequestFacts;
  /** The claim of the page's User-Agent: engine, version, system. */
  readonly claim: BrowserClaim;
  /** Correct widths for the style sheet: one list for each secret that can have made the sheet. */
  readonly cascades: readonly (readonly number[])[];
}

/**
 * Looks for one kind of contradiction, or for one trait that only automation has. Returns undefined when it finds
 * nothing. A missing reading is no evidence, because privacy tools and old or small browsers lack many readings.
 */
export type Judge = (theCase: Case) => Reason | undefined;
