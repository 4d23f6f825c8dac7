import type { Facts } from '../request/facts.ts';
import { mayHavePassedProxy } from '../request/passed-proxy.ts';
import { NOTHING, type Signal } from './signal.ts';

/**
 * The order of header names against the claimed browser's. A weak sign: only orders that libraries
 * have by default and that this browser never has, only of navigations (a page's own script may set
 * Accept, which changes its place), and never behind a proxy that says it is one.
 */
export const headerOrderSignal: Signal = (facts) => {
  const { agent, headers, crawler } = facts;
  if (agent.engine === undefined || agent.engine === 'webkit' || crawler) return NOTHING;
  if (!isNavigation(headers) || mayHavePassedProxy(facts)) return NOTHING;
  return hasForeignOrder(headers, agent.engine) ? ['header_order_mismatch'] : NOTHING;
};

function isNavigation(headers: Facts['headers']): boolean {
  const mode = headers['sec-fetch-mode'];
  if (mode !== undefined) return mode === 'navigate';
  return headers['accept']?.startsWith('text/html') === true;
}

/** Host, then User-Agent, then Accept; behind them language before encoding in Firefox, after it in Chromium. */
function hasForeignOrder(headers: Facts['headers'], engine: 'chromium' | 'gecko'): boolean {
  let agentSeen = false;
  let acceptSeen = false;
  let earlier = '';
  for (const name in headers) {
    switch (name) {
      case 'host':
        if (agentSeen || acceptSeen) return true;
        break;
      case 'user-agent':
        if (acceptSeen) return true;
        agentSeen = true;
        break;
      case 'accept':
        acceptSeen = true;
        break;
      case 'accept-language':
      case 'accept-encoding':
        if (!acceptSeen) return true;
        if (earlier === '') earlier = name;
        break;
    }
  }
  const first = engine === 'gecko' ? 'accept-language' : 'accept-encoding';
  return earlier !== '' && earlier !== first;
}
