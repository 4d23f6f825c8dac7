import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';
import { mayHavePassedProxy } from '../request/passed-proxy.ts';
import { NO_REASONS, type Signal } from './signal.ts';

const SCRIPT_LIKE: readonly Reason[] = ['header_script_like'];
const UNUSUAL: readonly Reason[] = ['accept_encoding_unusual'];

/** Finds header values that HTTP libraries and programs send, and that browsers do not send. */
export const scriptLikeValuesSignal: Signal = (facts) => {
  const { agent, headers, crawler } = facts;
  if (agent.engine === undefined || crawler) return NO_REASONS;
  const language = headers['accept-language'];
  if (language !== undefined && !beginsWithLetter(language)) return SCRIPT_LIKE;
  if (headers['accept'] === '' || hasLibraryEncodings(headers)) return SCRIPT_LIKE;
  // Of the browsers, only Firefox sends TE: only over HTTP/2, and only with this value (RFC 9110, 10.1.4).
  const te = headers['te'];
  if (te !== undefined && te !== 'trailers') return SCRIPT_LIKE;
  return agent.engine !== 'webkit' && hasUnusualEncodings(facts) ? UNUSUAL : NO_REASONS;
};

/**
 * Whether Accept-Encoding is that of a library: libcurl begins with `deflate`, and Ruby adds weights. No browser and no
 * CDN does this.
 */
function hasLibraryEncodings(headers: Facts['headers']): boolean {
  const encodings = headers['accept-encoding'];
  if (encodings === undefined || encodings.startsWith('gzip, deflate')) return false;
  if (headers['range'] !== undefined) return false;
  return encodings.startsWith('deflate') || encodings.includes(';q=');
}

/**
 * Whether Accept-Encoding is not that of the claimed browser. Chromium and Firefox begin with `gzip, deflate`. They
 * request ranges of media files without compression.
 */
function hasUnusualEncodings(facts: Facts): boolean {
  const { headers } = facts;
  const encodings = headers['accept-encoding'];
  if (encodings === undefined || encodings.startsWith('gzip, deflate')) return false;
  return headers['range'] === undefined && !mayHavePassedProxy(facts);
}

function beginsWithLetter(text: string): boolean {
  const code = text.charCodeAt(0) | 32;
  return code >= 97 && code <= 122;
}
