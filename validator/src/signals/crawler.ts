import type { Reason } from '@guard/config/contract/reasons';
import { NOTHING, type Signal } from './signal.ts';

const IMPERSONATOR: readonly Reason[] = ['crawler_impersonator'];
const BLOCKED: readonly Reason[] = ['crawler_blocked'];
const UNVERIFIED: readonly Reason[] = ['crawler_unverified'];

/**
 * Judges the User-Agent of a known crawler: an impersonator, a crawler that is not on the allowlist, or a crawler
 * without proof. The allowlist requires a proof, because any client can send a crawler's name. A rule with `verdict:
 * allow` does not require a proof.
 */
export const crawlerSignal: Signal = ({ crawler }) => {
  if (!crawler) return NOTHING;
  if (crawler.proof === 'impersonator') return IMPERSONATOR;
  if (!crawler.allowlisted) return BLOCKED;
  return crawler.proof === 'verified' ? NOTHING : UNVERIFIED;
};
