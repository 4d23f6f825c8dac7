import { createHash } from 'node:crypto';
import type { CollectAnswer, CollectRequest } from '@guard/config/contract/ports';
import { accepts, encodeOnce } from './content-coding.ts';
import { emptyAnswer, headerOf } from '../challenge/exchange.ts';
import type { FindTenant } from './site-keys.ts';

/**
 * The same bytes for all visitors: only the URL has the key. Kept for ten minutes, then asked for
 * again with the ETag: an update of Guard, or a key that was taken away, is seen within that time.
 */
const CACHE_CONTROL = 'public, max-age=600';

/**
 * Serves one script. `GET /script.js?site_key=` (contract 4.7) has a `tenantOf`: 401 when the key is missing or wrong.
 * Without one, every page may load the script, and read its text.
 */
export function createScriptFile(
  script: string,
  tenantOf?: FindTenant,
): (request: CollectRequest) => CollectAnswer {
  const codings = encodeOnce(script);
  const identity = { coding: undefined, bytes: Buffer.from(script) };
  // Weak (RFC 9110 8.8.1): all content codings of this build have the same tag.
  const tag = `W/"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`;
  const kept = {
    'Cache-Control': CACHE_CONTROL,
    ETag: tag,
    Vary: 'Accept-Encoding',
    // A page that isolates itself (Cross-Origin-Embedder-Policy) may load it from another host.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ...(tenantOf ? {} : { 'Access-Control-Allow-Origin': '*' }),
  };
  const headers = {
    ...kept,
    'Content-Type': 'text/javascript; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
  };

  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return emptyAnswer(405, { Allow: 'GET, HEAD' });
    }
    if (tenantOf && tenantOf(request.query) === undefined) return emptyAnswer(401);
    if (matches(headerOf(request, 'if-none-match'), tag)) {
      return { status: 304, headers: kept, body: '' };
    }
    const wanted = headerOf(request, 'accept-encoding');
    const { coding, bytes } =
      codings.find((one) => one.coding !== undefined && accepts(wanted, one.coding)) ?? identity;
    const encoding = coding === undefined ? {} : { 'Content-Encoding': coding };
    return { status: 200, headers: { ...headers, ...encoding }, body: bytes };
  };
}

/** RFC 9110 13.1.2: a list of tags or `*`, compared weakly. */
function matches(ifNoneMatch: string, tag: string): boolean {
  const bare = tag.slice('W/'.length);
  return ifNoneMatch
    .split(',', 32)
    .map((part) => part.trim())
    .some((part) => part === '*' || part === tag || part === bare);
}
