/**
 * Header fields with the visitor's address: balancers, CDNs and clouds write them, and frameworks, plug-ins and PHP
 * programs trust them. Names are in lower case with dashes.
 */
export const ADDRESS_HEADERS: ReadonlySet<string> = new Set(
  [
    // Names that are not specific to one vendor.
    'client-ip cluster-client-ip proxied-for remote-address remote-host x-client-real-ip',
    'x-original-client-ip x-proxied-for x-real-client-ip forwarded forwarded-for',
    'forwarded-for-ip proxy-client-ip real-ip remote-addr remote-ip true-client-ip',
    'x-client-ip x-clientip x-cluster-client-ip x-coming-from x-custom-ip-authorization',
    'x-forward-for x-forwarded x-forwarded-for x-http-client-ip x-originating-ip',
    'x-original-ip x-original-remote-addr x-proxyuser-ip x-real-ip x-realip x-remote-addr',
    'x-remote-ip x-source-ip x-true-client-ip x-true-ip x-user-ip',
    // Names that are specific to one vendor.
    'akamai-client-ip ali-cdn-real-ip eo-client-ip eo-connecting-ip x-arr-clientip',
    'x-ms-forwarded-client-ip x-zscaler-client-ip cdn-real-ip cdn-src-ip cf-connecting-ip',
    'cf-connecting-ipv6 cf-pseudo-ipv4 cloudfront-viewer-address do-connecting-ip',
    'fastly-client-ip fly-client-ip incap-client-ip wl-proxy-client-ip',
    'x-appengine-remote-addr x-appengine-user-ip x-azure-clientip x-azure-socketip',
    'x-envoy-external-address x-nf-client-connection-ip x-sucuri-clientip',
    'x-vercel-proxied-for',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Other `X-Forwarded-` fields with an address, such as X-Forwarded-Client-Ip. The names that the pattern excludes, such
 * as X-Forwarded-Host, describe the request.
 */
const OTHER_FORWARDED =
  /^(?:x|x-original|x-vercel|fly)-forwarded-(?!(?:host|method|path|port|prefix|proto|protocol|scheme|ssl|uri|url)$)/;

/** A field name as CGI programs compare it: in lower case, with a dash for each special character. */
export function withDashes(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');
}

/** Whether a field may contain the visitor's address, in any spelling that an origin may accept. */
export function mayContainAddress(field: string): boolean {
  const name = withDashes(field);
  return ADDRESS_HEADERS.has(name) || OTHER_FORWARDED.test(name);
}
