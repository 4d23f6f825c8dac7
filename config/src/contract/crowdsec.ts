/** What a CrowdSec agent decided about a part of the internet, as the threads of Guard pass it on. */
export interface CrowdsecDecision {
  readonly scope: 'network' | 'asn' | 'country';
  /** A network as `canonicalNetwork` writes it (`203.0.113.0/24`), a number, or two capital letters. */
  readonly value: string;
  /** The end, in milliseconds since the epoch. */
  readonly until: number;
}

/** The changes from one list of decisions to the next. */
export interface CrowdsecChanges {
  /** Whether `added` is the whole list, which replaces the one before. */
  readonly isWhole: boolean;
  /** Each replaces a decision on the same value. */
  readonly added: readonly CrowdsecDecision[];
  readonly removed: readonly Omit<CrowdsecDecision, 'until'>[];
}
