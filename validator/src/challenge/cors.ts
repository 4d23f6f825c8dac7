import type { CollectAnswer, CollectRequest } from '@guard/config/contract/ports';
import { isLoopbackHost } from '@guard/config/net/special-address';

/**
 * CORS for pages that upload to a collector on another host. Requests to the site's own host need no CORS. Pages of
 * other sites get no permission, so they cannot make a visitor's browser upload: JSON to another origin needs a
 * preflight (Fetch standard, 4.8), and the collector refuses other types. A page on the visitor's own machine gets
 * permission: it is a developer's page, and a stranger cannot put a page there.
 */
export function corsHeaders(
  { headers }: CollectRequest,
  allowedOrigin: (origin: string) => boolean,
): Record<string, string> {
  const { origin, host } = headers;
  if (typeof origin !== 'string' || origin.length > 300 || !URL.canParse(origin)) return {};
  const url = new URL(origin);
  // RFC 6454: an origin ends with its port. This check also keeps unexpected values out of Guard's response headers.
  if (url.origin !== origin || url.host === host) return {};
  if (!isLoopbackHost(url.hostname) && !allowedOrigin(origin)) return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': 'Retry-After',
    Vary: 'Origin',
  };
}

/**
 * Answers the preflight of a page on another host (Fetch standard, 4.8). It allows the method and the header of an
 * upload.
 */
export function preflight(cors: Readonly<Record<string, string>>): CollectAnswer {
  const permissions = {
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type',
    'Access-Control-Max-Age': '7200',
  };
  const crossOrigin = 'Access-Control-Allow-Origin' in cors;
  return {
    status: 204,
    headers: { ...cors, ...(crossOrigin ? permissions : {}), 'Cache-Control': 'no-store' },
    body: '',
  };
}
