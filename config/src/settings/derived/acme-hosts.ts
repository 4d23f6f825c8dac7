import { compileHosts } from '../../matching/host.ts';
import { canBeIssued } from '../sections/acme.ts';
import type { Settings } from '../schema.ts';

/**
 * The hosts that get a certificate from the authority: the hosts of `tls.acme.hosts` or, without this setting, the
 * exact names of all sites. A host that has a certificate file is left out.
 */
export function acmeHosts({ tls, sites }: Pick<Settings, 'tls' | 'sites'>): readonly string[] {
  if (tls?.acme === undefined) return [];
  const isOnFile = compileHosts(tls.certificates.map(({ hosts }) => ({ hosts, value: true })));
  const wantedHosts = tls.acme.hosts ?? sites.flatMap(({ hosts }) => hosts).filter(canBeIssued);
  return [...new Set(wantedHosts)].filter((host) => isOnFile(host) !== true);
}

/**
 * Whether visitors of `listen.gateway` are redirected to https. By default they are redirected when `tls.acme` is set.
 */
export function redirectsToHttps({ listen, tls }: Pick<Settings, 'listen' | 'tls'>): boolean {
  const { gateway, gateway_tls, redirect_https } = listen;
  return (
    redirect_https ??
    (tls?.acme !== undefined && gateway !== undefined && gateway_tls !== undefined)
  );
}
