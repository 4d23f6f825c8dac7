import { z } from 'zod';
import { parseIp } from '../../net/cidr.ts';
import { isLoopbackHost } from '../../net/special-address.ts';
import { Listen, type ListenAddress, type Origin, OriginAddress } from '../values/values.ts';
import type { Contradiction } from './repeated.ts';

/**
 * Finds origins that are a listener of Guard for visitors. Each request would come back to Guard again and again, until
 * Guard answers 508. Other services of Guard can be origins. For example, a gateway with TLS can be in front of the
 * dashboard.
 */

const FRONTS = ['gateway', 'gateway_tls', 'forward_auth', 'ext_authz'] as const;

const unknownValue = z.unknown().optional();
const Outline = z
  .looseObject({
    listen: z.record(z.string(), z.unknown()).catch({}),
    sites: z.array(z.looseObject({ origin: unknownValue }).catch({ origin: undefined })).catch([]),
  })
  .catch({ listen: {}, sites: [] });

/** Uncertain cases are not reported. */
export function findCircularOrigins(value: unknown): Contradiction[] {
  const { listen, sites } = Outline.parse(value);
  const frontAddresses = FRONTS.flatMap((service) => {
    const address = Listen.safeParse(listen[service]);
    return address.success ? [{ service, address: address.data }] : [];
  });
  return sites.flatMap(({ origin }, site) =>
    (Array.isArray(origin) ? origin : [origin]).flatMap((originValue: unknown, originIndex) => {
      const parsed = OriginAddress.safeParse(originValue);
      const ownListener = parsed.success
        ? frontAddresses.find(({ address }) => leadsTo(parsed.data, address))
        : undefined;
      if (ownListener === undefined) return [];
      const path = ['sites', site, 'origin', ...(Array.isArray(origin) ? [originIndex] : [])];
      const message = `expected the address of your site; this is listen.${ownListener.service}, so each request would come back to Guard`;
      return [{ path, message }];
    }),
  );
}

function leadsTo(origin: Origin, listener: ListenAddress): boolean {
  if (origin.kind === 'unix') return listener.kind === 'unix' && listener.path === origin.path;
  if (listener.kind === 'unix' || listener.port === 0) return false;
  if (origin.port !== listener.port) return false;
  const listenerHosts = reachedBy(listener.host);
  return reachedBy(origin.host).some(
    (host) => listenerHosts.includes(host) || receivesLoopback(host, listener.host),
  );
}

/**
 * The addresses that a connection to a host reaches on this machine. A host that is not on this machine is returned
 * unchanged.
 */
function reachedBy(hostText: string): readonly string[] {
  const text = hostText.toLowerCase();
  const host = parseIp(text) ?? text;
  if (host === '0.0.0.0') return ['127.0.0.1'];
  if (host === '::') return ['::1', '127.0.0.1'];
  return parseIp(host) === undefined && isLoopbackHost(host) ? ['127.0.0.1', '::1'] : [host];
}

/**
 * Whether a listener receives connections to the loopback address. `::` also receives connections to the loopback
 * address of IPv4.
 */
function receivesLoopback(host: string, listener: string): boolean {
  const isWildcard = listener === '::' || (listener === '0.0.0.0' && !host.includes(':'));
  return isWildcard && isLoopbackHost(host);
}
