/**
 * The decision of a CrowdSec agent about an address, a network, an autonomous system or a country. The threads of Guard
 * pass it on in this form.
 */
export interface CrowdsecDecision {
  readonly scope: 'network' | 'asn' | 'country';
  /**
   * A network as `canonicalNetwork` writes it (`203.0.113.0/24`), the number of an autonomous system, or the two
   * letters of a country.
   */
  readonly value: string;
  /** The time at which the decision ends, in milliseconds since the epoch. */
  readonly until: number;
}

/** The changes from one list of decisions to the next. */
export interface CrowdsecChanges {
  /** Whether `added` is the whole list, which replaces the list before it. */
  readonly isWhole: boolean;
  /** Each decision replaces the earlier decision on the same value. */
  readonly added: readonly CrowdsecDecision[];
  readonly removed: readonly Omit<CrowdsecDecision, 'until'>[];
}
