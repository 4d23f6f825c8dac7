import type { Reason } from '@guard/config/contract/reasons';
import { NOTHING, type Signal } from './signal.ts';

const IMPERSONATOR: readonly Reason[] = ['crawler_impersonator'];
const BLOCKED: readonly Reason[] = ['crawler_blocked'];
const UNVERIFIED: readonly Reason[] = ['crawler_unverified'];

/**
 * A known crawler's User-Agent: not welcome, false, or without proof. An allowlist lets in a crawler that
 * proves its name, because any client can send the name. A rule with `verdict: allow` believes the name.
 */
export const crawlerSignal: Signal = ({ crawler }) => {
  if (!crawler) return NOTHING;
  if (crawler.proof === 'impersonator') return IMPERSONATOR;
  if (!crawler.allowlisted) return BLOCKED;
  return crawler.proof === 'verified' ? NOTHING : UNVERIFIED;
};
