import type { Reason } from '@guard/config/contract/reasons';
import { NO_REASONS, type Signal } from './signal.ts';

const IMPERSONATOR: readonly Reason[] = ['crawler_impersonator'];
const CRAWLER_BLOCKED: readonly Reason[] = ['crawler_blocked'];
const CRAWLER_UNVERIFIED: readonly Reason[] = ['crawler_unverified'];

/**
 * Judges a request with the User-Agent of a known crawler. It finds an impersonator, a crawler that is not on the
 * allowlist, or a crawler without proof. Even a crawler on the allowlist needs a proof, because any client can send its
 * name.
 */
export const crawlerSignal: Signal = ({ crawler }) => {
  if (!crawler) return NO_REASONS;
  if (crawler.proof === 'impersonator') return IMPERSONATOR;
  if (!crawler.allowlisted) return CRAWLER_BLOCKED;
  return crawler.proof === 'verified' ? NO_REASONS : CRAWLER_UNVERIFIED;
};
