import { automatedBrowser } from './reasons/automated-browser.ts';
import {
  type Category,
  type FindingEntry,
  inCategory,
  outcome,
  type OutcomeEntry,
} from './reason-entry.ts';
import { botIdentity } from './reasons/bot-identity.ts';
import { challengeFailure } from './reasons/challenge-failure.ts';
import { fingerprintMismatch } from './reasons/fingerprint-mismatch.ts';
import { headerAnomaly } from './reasons/header-anomaly.ts';
import { suspiciousNetwork } from './reasons/suspicious-network.ts';

/** All block reasons of Guard (contract 2.2): identifier, category, meaning, and the default strength of findings. */
export const reasons = {
  ...botIdentity,
  ...automatedBrowser,
  ...headerAnomaly,
  ...fingerprintMismatch,
  ...suspiciousNetwork,
  ...challengeFailure,
  ...inCategory('unknown', { policy_block: outcome('A rule of the site blocks this request.') }),
} satisfies Record<string, FindingEntry | OutcomeEntry>;

export type Reason = keyof typeof reasons;

export type Finding = {
  [Name in Reason]: (typeof reasons)[Name] extends FindingEntry ? Name : never;
}[Reason];

export function entryOf(reason: Reason): FindingEntry | OutcomeEntry {
  return reasons[reason];
}

export function isFinding(reason: Reason): reason is Finding {
  return 'strength' in reasons[reason];
}

// The cast is needed, because the type of Object.keys is string[].
export const FINDINGS: readonly Finding[] = (Object.keys(reasons) as Reason[]).filter(isFinding);

export function isReason(text: string): text is Reason {
  return Object.hasOwn(reasons, text);
}

/** The categories of some reasons, without duplicates, in the order of the reasons. */
export function categoriesOf(list: readonly Reason[]): Category[] {
  return [...new Set(list.map((reason) => reasons[reason].category))];
}
