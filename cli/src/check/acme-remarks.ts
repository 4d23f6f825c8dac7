import { compileHosts } from '@guard/config/matching/host';
import { acmeHosts } from '@guard/config/settings/derived/acme-hosts';
import type { Settings } from '@guard/config/settings/schema';
import { canBeIssued } from '@guard/config/settings/sections/acme';
import type { ListenAddress } from '@guard/config/settings/values/values';
import { hint, type Remark, warning } from './remark.ts';

/** Remarks for settings in which an authority issues the certificates (`tls.acme`). */
export function acmeRemarks(settings: Settings): Remark[] {
  const { tls, listen } = settings;
  if (tls?.acme === undefined) return [];
  const ports = listen.gateway
    ? portHint('gateway', listen.gateway, 80)
    : portHint('gateway_tls', listen.gateway_tls, 443);
  return [...ports, ...withoutCertificate(settings)];
}

/** Hosts of sites without a certificate from files or from the authority. */
function withoutCertificate(settings: Settings): Remark[] {
  const files = settings.tls?.certificates ?? [];
  const isCovered = compileHosts([
    { hosts: acmeHosts(settings), value: true },
    ...files.map(({ hosts }) => ({ hosts, value: true })),
  ]);
  return settings.sites.flatMap(({ hosts }, site) =>
    hosts.flatMap((host, index) => {
      const isWild = host.startsWith('*');
      const example = host.replace(/^\*/, 'any-other-name');
      const isAsked = isWild || canBeIssued(host);
      if (!isAsked || isCovered(isWild ? example : host) === true) return [];
      const why = isWild
        ? 'none is issued for a wildcard by http-01 or tls-alpn-01'
        : 'none is ordered';
      const message = `no certificate for ${host}: ${why}; take one from files (tls.certificates), or name its hosts one by one`;
      return [warning(['sites', site, 'hosts', index], message)];
    }),
  );
}

/** The authority always connects to these ports (RFC 8555 section 8.3, RFC 8737 section 3). */
function portHint(
  service: 'gateway' | 'gateway_tls',
  address: ListenAddress | undefined,
  expected: 80 | 443,
): Remark[] {
  if (address === undefined || (address.kind === 'tcp' && address.port === expected)) return [];
  const here = address.kind === 'tcp' ? `port ${address.port}` : 'this socket';
  const message = `the authority of tls.acme connects to port ${expected} of each host; forward that port to ${here}`;
  return [hint(['listen', service], message)];
}
