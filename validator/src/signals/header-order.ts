import type { Facts } from '../request/facts.ts';
import { mayHavePassedProxy } from '../request/passed-proxy.ts';
import { isDownload } from '../request/representation.ts';
import { NO_REASONS, type Signal } from './signal.ts';

/**
 * Compares the order of the header fields with the order of the claimed browser. It finds only orders that libraries
 * have by default and that the claimed browser never has. It checks only navigations, because for other requests a
 * script of a page can set Accept and so change the order. The finding is a weak sign.
 */
export const headerOrderSignal: Signal = (facts) => {
  const { agent, headers, crawler } = facts;
  if (agent.engine === undefined || agent.engine === 'webkit' || crawler) return NO_REASONS;
  if (!isNavigation(facts) || mayHavePassedProxy(facts)) return NO_REASONS;
  return hasForeignOrder(headers, agent.engine) ? ['header_order_mismatch'] : NO_REASONS;
};

function isNavigation(facts: Facts): boolean {
  const { headers } = facts;
  const mode = headers['sec-fetch-mode'];
  if (mode !== undefined) return mode === 'navigate' && !isDownload(facts);
  return headers['accept']?.startsWith('text/html') === true;
}

/**
 * Chromium and Firefox send Host, User-Agent and Accept in this order. After these, Firefox sends Accept-Language
 * before Accept-Encoding, and Chromium sends them the other way round.
 */
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
