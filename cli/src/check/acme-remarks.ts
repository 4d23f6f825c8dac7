import { compileHosts } from '@guard/config/matching/host';
import { acmeHosts } from '@guard/config/settings/derived/acme-hosts';
import type { Settings } from '@guard/config/settings/schema';
import { canBeIssued } from '@guard/config/settings/sections/acme';
import type { ListenAddress } from '@guard/config/settings/values/values';
import { hint, type Remark, warning } from './remark.ts';

export function acmeRemarks(settings: Settings): Remark[] {
  const { tls, listen } = settings;
  if (tls?.acme === undefined) return [];
  const ports = listen.gateway
    ? portHint('gateway', listen.gateway, 80)
    : portHint('gateway_tls', listen.gateway_tls, 443);
  return [...ports, ...hostsWithoutCertificate(settings)];
}

function hostsWithoutCertificate(settings: Settings): Remark[] {
  const files = settings.tls?.certificates ?? [];
  const isCovered = compileHosts([
    { hosts: acmeHosts(settings), value: true },
    ...files.map(({ hosts }) => ({ hosts, value: true })),
  ]);
  return settings.sites.flatMap(({ hosts }, site) =>
    hosts.flatMap((host, index) => {
      const isWildcard = host.startsWith('*');
      const example = host.replace(/^\*/, 'any-other-name');
      const needsCertificate = isWildcard || canBeIssued(host);
      if (!needsCertificate || isCovered(isWildcard ? example : host) === true) return [];
      const why = isWildcard
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
  requiredPort: 80 | 443,
): Remark[] {
  if (address === undefined || (address.kind === 'tcp' && address.port === requiredPort)) return [];
  const listenPlace = address.kind === 'tcp' ? `port ${address.port}` : 'this socket';
  const message = `the authority of tls.acme connects to port ${requiredPort} of each host; forward that port to ${listenPlace}`;
  return [hint(['listen', service], message)];
}
