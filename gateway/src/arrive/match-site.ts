import type { Protocol } from '@guard/config/contract/event';
import type { ValidateContext } from '@guard/config/contract/ports';
import { compileHosts } from '@guard/config/matching/host';
import type { Client } from './client-ip.ts';
import { compileSampling, type Sampling } from './sample/sampling.ts';
import type { GatewaySettings, GatewaySite } from '../base/options.ts';
import type { Origins } from '../origin/origin.ts';
import type { OriginsOf } from '../origin/origin-registry.ts';
import { compileRoute, type IsProtected } from './route.ts';

/** A site with everything that can be worked out before its first request. */
export interface ServedSite {
  readonly name: string;
  readonly config: GatewaySite;
  /** Ask and record, enforce nothing. */
  readonly observe: boolean;
  /** DecisionEvent.settingsRevision. */
  readonly settingsRevision: string;
  readonly isProtected: IsProtected;
  readonly origins: Origins;
  /** Undefined where events keep nothing of a body. */
  readonly sampling: Sampling | undefined;
  /** By how the client is known, and of what came here by its protocol. */
  readonly contexts: Readonly<Record<Client['from'], ContextsByProtocol>>;
}

type ContextsByProtocol = Readonly<Record<Protocol | 'described', ValidateContext>>;

export interface Sites {
  /** The site of a Host header, whatever its port; undefined for an unknown host (421). */
  readonly match: (host: string) => ServedSite | undefined;
}

function contextsOf(described: ValidateContext): ContextsByProtocol {
  return {
    described,
    'HTTP/1.0': { ...described, protocol: 'HTTP/1.0' },
    'HTTP/1.1': { ...described, protocol: 'HTTP/1.1' },
    'HTTP/2.0': { ...described, protocol: 'HTTP/2.0' },
  };
}

/** Builds the table of sites. A site is named after its first host. */
export function createSites(
  {
    sites,
    observe,
    settingsRevision = '',
  }: Pick<GatewaySettings, 'sites' | 'observe' | 'settingsRevision'>,
  originsOf: OriginsOf,
): Sites {
  const all = sites.map((config): ServedSite => {
    const name = config.settings.hosts[0] ?? '';
    return {
      name,
      config,
      observe: observe || config.settings.observe,
      settingsRevision,
      isProtected: compileRoute(config.settings.protect, config.settings.skip),
      origins: originsOf(name, config.settings.origin),
      sampling: compileSampling(config.settings),
      contexts: {
        peer: contextsOf({ site: name, ipFrom: 'peer' }),
        forwarded: contextsOf({ site: name, ipFrom: 'forwarded' }),
        'x-forwarded-for': contextsOf({ site: name, ipFrom: 'x-forwarded-for' }),
      },
    };
  });
  const match = compileHosts(all.map((value) => ({ hosts: value.config.settings.hosts, value })));
  return { match };
}
