import { createHash } from 'node:crypto';
import type { CollectAnswer, CollectRequest } from '@guard/config/contract/ports';
import { acceptsCoding } from '../request/accept.ts';
import { encodeOnce } from './content-coding.ts';
import { emptyAnswer, headerOf } from '../challenge/exchange.ts';
import type { FindTenant } from './site-keys.ts';

/**
 * The bytes are the same for all visitors, so public caches are allowed to keep them for ten minutes. After that the
 * browser asks again with the ETag. So an update of Guard, or the removal of a key, takes effect within ten minutes.
 */
const CACHE_CONTROL = 'public, max-age=600';

/**
 * Serves one script. With `findTenant`, for `GET /script.js?site_key=` (contract 4.7), it answers 401 when the key is
 * missing or wrong. Without `findTenant`, every page is allowed to load the script and to read its text.
 */
export function createScriptFile(
  script: string,
  findTenant?: FindTenant,
): (request: CollectRequest) => CollectAnswer {
  const codings = encodeOnce(script);
  const identity = { coding: undefined, bytes: Buffer.from(script) };
  // A weak tag (RFC 9110 section 8.8.1), because all content codings share it.
  const tag = `W/"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`;
  const cacheHeaders = {
    'Cache-Control': CACHE_CONTROL,
    ETag: tag,
    Vary: 'Accept-Encoding',
    // Without this header, a page with Cross-Origin-Embedder-Policy could not load the script from another host.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ...(findTenant ? {} : { 'Access-Control-Allow-Origin': '*' }),
  };
  const headers = {
    ...cacheHeaders,
    'Content-Type': 'text/javascript; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
  };

  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return emptyAnswer(405, { Allow: 'GET, HEAD' });
    }
    if (findTenant && findTenant(request.query) === undefined) return emptyAnswer(401);
    if (hasTag(headerOf(request, 'if-none-match'), tag)) {
      return { status: 304, headers: cacheHeaders, body: '' };
    }
    const header = headerOf(request, 'accept-encoding');
    const { coding, bytes } =
      codings.find((file) => file.coding !== undefined && acceptsCoding(header, file.coding)) ??
      identity;
    const encoding = coding === undefined ? {} : { 'Content-Encoding': coding };
    return { status: 200, headers: { ...headers, ...encoding }, body: bytes };
  };
}

/** Whether If-None-Match contains the tag, or is `*`. Tags are compared weakly (RFC 9110 section 13.1.2). */
function hasTag(ifNoneMatch: string, tag: string): boolean {
  const strongTag = tag.slice('W/'.length);
  return ifNoneMatch
    .split(',', 32)
    .map((part) => part.trim())
    .some((part) => part === '*' || part === tag || part === strongTag);
}
