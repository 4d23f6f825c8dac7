import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';
import { NO_REASONS, type Signal } from './signal.ts';

const MODES = new Set(['navigate', 'cors', 'no-cors', 'same-origin', 'websocket']);
const SITES = new Set(['none', 'same-origin', 'same-site', 'cross-site']);
/** Values of Sec-Fetch-Dest for parts of pages. A navigation never has such a value. */
const SUBRESOURCES = new Set(
  'audio font image manifest script serviceworker sharedworker style track video worker'.split(' '),
);

const IMPOSSIBLE: readonly Reason[] = ['fetch_metadata_impossible'];

/** The first major version of Chromium that sends all three fields. Older versions send no Sec-Fetch-Dest. */
const COMPLETE_SINCE = 80;

/** Checks Sec-Fetch-* (W3C Fetch Metadata). The browser sets these fields itself, with values from a fixed list. */
export const fetchMetadataSignal: Signal = (facts) => {
  const { agent, headers, crawler } = facts;
  if (agent.engine === undefined || crawler) return NO_REASONS;
  if (agent.engine === 'chromium' && agent.major < COMPLETE_SINCE) return NO_REASONS;
  const mode = headers['sec-fetch-mode'];
  const site = headers['sec-fetch-site'];
  const dest = headers['sec-fetch-dest'];
  if (mode === undefined && site === undefined && dest === undefined) return NO_REASONS;
  return judge(mode ?? '', site ?? '', dest ?? '', facts);
};

function judge(mode: string, site: string, dest: string, facts: Facts): readonly Reason[] {
  if (!MODES.has(mode) || !SITES.has(site) || dest === '') return IMPOSSIBLE;
  if (isImpossible(mode, dest, facts)) return IMPOSSIBLE;
  const asksForPage = mode === 'navigate' && dest === 'document';
  return asksForPage && facts.headers['accept']?.includes('text/html') === false
    ? ['header_contradiction']
    : NO_REASONS;
}

function isImpossible(mode: string, dest: string, { method, headers }: Facts): boolean {
  if (mode !== 'navigate') {
    return dest === 'document' || headers['sec-fetch-user'] !== undefined;
  }
  return SUBRESOURCES.has(dest) || (method !== 'GET' && method !== 'POST');
}
