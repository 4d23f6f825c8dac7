import { NOTHING, type Signal } from './signal.ts';

/** A known crawler's User-Agent: false, or true and not welcome. */
export const crawlerSignal: Signal = ({ crawler }) => {
  if (!crawler) return NOTHING;
  if (crawler.proof === 'impersonator') return ['crawler_impersonator'];
  return crawler.allowlisted ? NOTHING : ['crawler_blocked'];
};
