import type { Reason } from '@guard/config/contract/reasons';
import type { BrowserClaim } from '../../../request/browser-claim.ts';
import type { Evidence } from '../../../../page-contract/evidence.ts';

/** What the upload's own HTTP request said. */
export interface RequestFacts {
  readonly userAgent: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Country of its address, ISO 3166-1 alpha-2 in upper case; empty when it is not known. */
  readonly country: string;
  /** The signals of this request that the request of the page did not have, and rare answers. */
  readonly found: readonly Reason[];
}

/** Everything a judge may look at. */
export interface Case {
  readonly evidence: Evidence;
  readonly request: RequestFacts;
  /** What the page's own User-Agent claims. */
  readonly claim: BrowserClaim;
  /** Right widths of its style sheet, one list for each secret that may have issued it. */
  readonly cascades: readonly (readonly number[])[];
}

/**
 * Looks for one kind of contradiction, or of trait that only automation has; undefined when there is
 * none. What could not be read is no evidence: privacy tools, old and small browsers hide a lot.
 */
export type Judge = (theCase: Case) => Reason | undefined;
