import { automatedBrowser } from './reasons/automated-browser.ts';
import type { CATEGORIES } from './categories.ts';
import { botIdentity } from './reasons/bot-identity.ts';
import { challengeFailure } from './reasons/challenge-failure.ts';
import { fingerprintMismatch } from './reasons/fingerprint-mismatch.ts';
import { headerAnomaly } from './reasons/header-anomaly.ts';
import { suspiciousNetwork } from './reasons/suspicious-network.ts';

/**
 * Every block reason Guard can give (contract 2.2): identifier, category, weight, meaning.
 *
 * Weights of different categories add up (validator/src/verdict/weigh.ts). Within one category only
 * the heaviest counts, because findings of one category tend to have one cause. 100 is conclusive by itself;
 * below 40 a finding is weak: it can add to a challenge, never to a block.
 * Two categories are kept below a block by construction: a network alone, or odd headers alone, is
 * something a real person can have.
 */

export type Category = (typeof CATEGORIES)[number];

interface ReasonEntry {
  readonly category: Category;
  /** 0 to 100. */
  readonly weight: number;
  readonly meaning: string;
}

export const reasons = {
  ...botIdentity,
  ...automatedBrowser,
  ...headerAnomaly,
  ...fingerprintMismatch,
  ...suspiciousNetwork,
  ...challengeFailure,
  policy_block: {
    category: 'unknown',
    weight: 100,
    meaning: 'A rule of the site blocks this request.',
  },
} as const satisfies Record<string, ReasonEntry>;

export type Reason = keyof typeof reasons;

export function isReason(text: string): text is Reason {
  return Object.hasOwn(reasons, text);
}

/** The categories of some reasons, each once, in the order of the reasons. */
export function categoriesOf(list: readonly Reason[]): Category[] {
  return [...new Set(list.map((reason) => reasons[reason].category))];
}
