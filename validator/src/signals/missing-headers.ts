import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';
import { isDownload, isHandshake, isSearchDescription } from '../request/representation.ts';
import { NO_REASONS, type Signal } from './signal.ts';

const MISSING: readonly Reason[] = ['header_missing'];
const INCOMPLETE: readonly Reason[] = ['navigation_incomplete'];

/**
 * Finds missing headers that the claimed browser always sends. It checks only clients that claim to be a browser.
 * Crawlers are not checked, although their User-Agents contain the words of browsers.
 */
export const missingHeadersSignal: Signal = (facts) => {
  const { agent, headers, url, crawler } = facts;
  if (agent.engine === undefined || crawler) return NO_REASONS;
  if (headers['accept-language'] === undefined || headers['accept-encoding'] === undefined) {
    return MISSING;
  }
  if (mayLackAccept(facts)) return NO_REASONS;
  if (headers['accept'] === undefined) return MISSING;
  if (url.scheme !== 'https') return NO_REASONS;
  const mode = headers['sec-fetch-mode'];
  if (mode === undefined) {
    if (agent.fetchMetadata === 'unknown') return NO_REASONS;
    return agent.fetchMetadata === 'always' ? MISSING : INCOMPLETE;
  }
  const lacksUpgrade =
    mode === 'navigate' &&
    agent.engine !== 'webkit' &&
    headers['upgrade-insecure-requests'] === undefined;
  return lacksUpgrade ? INCOMPLETE : NO_REASONS;
};

function mayLackAccept(facts: Facts): boolean {
  return isHandshake(facts) || isDownload(facts) || isSearchDescription(facts);
}
