import type { Reason } from '@guard/config/contract/reasons';
import { type Group, POINTS, THRESHOLDS } from '@guard/config/contract/strengths';
import type { Strengths } from './strengths.ts';

/** The result of weighing findings: `clean`, or the threshold that they reach (config/src/contract/strengths.ts). */
export type Weighed = 'clean' | keyof typeof THRESHOLDS;

/**
 * Weighs the findings of a visitor. A conclusive finding alone reaches `reject`. Otherwise only the strongest finding
 * of each group is used, and the points of all groups are added. Strong findings can reach `reject`; weak findings add
 * only to `ask`. For a session that passed, only conclusive findings are used, unless the session moved to another kind
 * of network.
 */
export function weigh(
  findings: readonly Reason[],
  isVerified: boolean,
  strengths: Strengths,
): Weighed {
  if (findings.length === 0) return 'clean';
  const strongest = new Map<Group, number>();
  let isMoved = false;
  for (const reason of findings) {
    const weight = strengths.of(reason);
    if (weight === undefined || weight.points === 0) continue;
    if (weight.strength === 'conclusive') return 'reject';
    if (reason === 'session_moved') isMoved = true;
    const { group, points } = weight;
    strongest.set(group, Math.max(strongest.get(group) ?? 0, points));
  }
  if (isVerified && !isMoved) return 'clean';
  let total = 0;
  let strongTotal = 0;
  for (const points of strongest.values()) {
    total += points;
    if (points >= POINTS.strong) strongTotal += points;
  }
  if (strongTotal >= THRESHOLDS.reject) return 'reject';
  return total >= THRESHOLDS.ask ? 'ask' : 'clean';
}
