/** What a CrowdSec agent decided about a part of the internet, as the threads of Guard pass it on. */
export interface CrowdsecDecision {
  /** CrowdSec counts up: of two decisions on one value the later one has the greater number. */
  readonly id: number;
  readonly scope: 'network' | 'asn' | 'country';
  /** `203.0.113.0/24` as `canonicalNetwork` spells it, a number, or two capital letters. */
  readonly value: string;
  /** In milliseconds since the epoch. */
  readonly until: number;
}

/** A step from one list of decisions to the next one. What is removed goes first. */
export interface CrowdsecChanges {
  /** `added` is the whole list, and nothing of the one before it stays. */
  readonly isWhole: boolean;
  readonly added: readonly CrowdsecDecision[];
  readonly removed: readonly Pick<CrowdsecDecision, 'id' | 'scope' | 'value'>[];
}
