import { ADDRESS_HEADERS } from '@guard/config/contract/address-headers';

/**
 * Fields beside X-Forwarded-* that say where a request came from or went to: balancers, CDNs and clouds
 * write them, and frameworks, their plug-ins and PHP programs believe them. In lower case.
 */
const CLAIMS: ReadonlySet<string> = new Set([
  ...ADDRESS_HEADERS,
  // The host, path and method that were asked for.
  'forwarded-host',
  'x-envoy-original-path',
  'x-host',
  'x-host-override',
  'x-http-host',
  'x-http-host-override',
  'x-original-path',
  'x-real-host',
  'x-request-uri',
  'x-rewrite-path',
  'x-original-host',
  'x-original-method',
  'x-original-uri',
  'x-original-url',
  'x-override-url',
  'x-proxy-url',
  'x-rewrite-uri',
  'x-rewrite-url',
  // The scheme and the port.
  'cf-visitor',
  'cloudfront-forwarded-proto',
  'x-arr-ssl',
  'fastly-ssl',
  'forwarded-proto',
  'front-end-https',
  'wl-proxy-ssl',
  'x-original-proto',
  'x-original-scheme',
  'x-scheme',
  'x-url-scheme',
]);

/** Begin the names of claims. Each vendor adds some of its own: X-Forwarded-Ssl, Fly-Forwarded-Port. */
const CLAIM_BEGINNINGS = [
  'x-forwarded-',
  'x-original-forwarded-',
  'x-vercel-forwarded-',
  'fly-forwarded-',
];

/** Whether a field says where a request came from or went to. `name`: in lower case, with dashes. */
export function isClaim(name: string): boolean {
  return CLAIMS.has(name) || CLAIM_BEGINNINGS.some((beginning) => name.startsWith(beginning));
}
