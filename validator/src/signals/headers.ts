import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';
import { NOTHING, type Signal } from './signal.ts';

/** First majors that send Sec-Fetch-* on every request to a trustworthy origin (W3C Fetch Metadata). */
const SEC_FETCH_SINCE = { chromium: 80, gecko: 90, webkit: 17 } as const;

const SEC_FETCH_MODES = new Set(['navigate', 'cors', 'no-cors', 'same-origin', 'websocket']);
const SEC_FETCH_SITES = new Set(['none', 'same-origin', 'same-site', 'cross-site']);

/**
 * Headers a browser always sends, against what was sent. Only for who claims a browser: an HTTP
 * library that says what it is contradicts nothing, and crawlers copy browser tokens.
 */
export const headerSignal: Signal = (facts) => {
  if (facts.agent.engine === undefined || facts.crawler) return NOTHING;
  const found: Reason[] = [];
  if (lacksHeader(facts)) found.push('header_missing');
  if (contradictsItself(facts.headers)) found.push('header_contradiction');
  return found;
};

function lacksHeader({ agent, headers, url }: Facts): boolean {
  if (headers['accept-language'] === undefined || headers['accept-encoding'] === undefined) {
    return true;
  }
  // A WebSocket handshake carries neither Accept nor, in Chromium, fetch metadata.
  if (headers['upgrade'] !== undefined) return false;
  if (headers['accept'] === undefined) return true;
  const sendsFetchMetadata =
    agent.engine !== undefined &&
    agent.major >= SEC_FETCH_SINCE[agent.engine] &&
    url.scheme === 'https' &&
    !agent.embedded;
  return sendsFetchMetadata && headers['sec-fetch-mode'] === undefined;
}

function contradictsItself(headers: Facts['headers']): boolean {
  const mode = headers['sec-fetch-mode'];
  const site = headers['sec-fetch-site'];
  if (mode !== undefined && !SEC_FETCH_MODES.has(mode)) return true;
  if (site !== undefined && !SEC_FETCH_SITES.has(site)) return true;
  return (
    mode === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    !(headers['accept'] ?? '').includes('text/html')
  );
}
