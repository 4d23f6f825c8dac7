import { type Category, type Reason, reasons } from '@guard/config/contract/reasons';

export type Weighed = 'clean' | 'uncertain' | 'bad';

/** A finding of this weight blocks by itself. */
const CONCLUSIVE = 100;
/** Weaker ones block together from here: more than any two categories of plain suspicion reach. */
const BAD_FROM = 130;
const UNCERTAIN_FROM = 40;

/**
 * What the findings amount to. Of each category the heaviest finding counts, and the categories add
 * up. Findings too weak to challenge alone may challenge together, and never take part in a block:
 * several oddities of one unusual browser are not evidence. A session that passed its challenge
 * answers every doubt: only conclusive findings remain. One that was carried elsewhere has to pass again.
 */
export function weigh(findings: readonly Reason[], verified: boolean): Weighed {
  if (findings.length === 0) return 'clean';
  if (findings.some((reason) => reasons[reason].weight >= CONCLUSIVE)) return 'bad';
  if (verified && !findings.includes('session_moved')) return 'clean';
  const heaviest = new Map<Category, number>();
  for (const reason of findings) {
    const { category, weight } = reasons[reason];
    heaviest.set(category, Math.max(heaviest.get(category) ?? 0, weight));
  }
  let total = 0;
  let evidence = 0;
  for (const weight of heaviest.values()) {
    total += weight;
    if (weight >= UNCERTAIN_FROM) evidence += weight;
  }
  if (evidence >= BAD_FROM) return 'bad';
  return total >= UNCERTAIN_FROM ? 'uncertain' : 'clean';
}
