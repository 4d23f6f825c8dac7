/**
 * Fields beside X-Forwarded-* that say where a request came from or went to: balancers, CDNs and clouds
 * write them, and frameworks, their plug-ins and PHP programs believe them. In lower case.
 */
const CLAIMS: ReadonlySet<string> = new Set([
  // The visitor's address, in words that no vendor owns.
  'client-ip',
  'cluster-client-ip',
  'forwarded-for',
  'forwarded-for-ip',
  'proxy-client-ip',
  'real-ip',
  'remote-addr',
  'remote-ip',
  'true-client-ip',
  'x-client-ip',
  'x-clientip',
  'x-cluster-client-ip',
  'x-coming-from',
  'x-custom-ip-authorization',
  'x-forward-for',
  'x-forwarded',
  'x-http-client-ip',
  'x-originating-ip',
  'x-original-ip',
  'x-original-remote-addr',
  'x-proxyuser-ip',
  'x-real-ip',
  'x-realip',
  'x-remote-addr',
  'x-remote-ip',
  'x-source-ip',
  'x-true-client-ip',
  'x-true-ip',
  'x-user-ip',
  // The same in the words of one vendor.
  'ali-cdn-real-ip',
  'cdn-real-ip',
  'cdn-src-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'do-connecting-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'incap-client-ip',
  'wl-proxy-client-ip',
  'x-appengine-remote-addr',
  'x-appengine-user-ip',
  'x-azure-clientip',
  'x-azure-socketip',
  'x-envoy-external-address',
  'x-nf-client-connection-ip',
  'x-sucuri-clientip',
  'x-vercel-proxied-for',
  // The host, path and method that were asked for.
  'forwarded-host',
  'x-envoy-original-path',
  'x-host',
  'x-host-override',
  'x-http-host-override',
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
