import type { Protocol } from '@guard/config/contract/event';
import type { ValidateContext } from '@guard/config/contract/ports';
import { compileFoldedGlob, compileGlob, foldPath } from '@guard/config/matching/glob';
import { compileHosts } from '@guard/config/matching/host';
import type { Site } from '@guard/config/settings/schema';
import type { Client } from './client-ip.ts';
import { compileSecretNames, type SecretNames } from './sample/secret-names.ts';
import type { GatewaySettings, GatewaySite } from '../base/options.ts';
import type { Origins } from '../origin/origin.ts';
import type { OriginsOf } from '../origin/origins.ts';

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

/**
 * Whether the validator is to be asked about a path, given every way an origin may read it. A path with
 * too many of them is protected, and refused before anybody is asked.
 */
export type IsProtected = (readings: readonly string[] | undefined) => boolean;

/**
 * `protect` and `skip` of a site. One reading that is protected is enough to ask; only a path whose
 * every reading is to be skipped is skipped. So `/assets/%2e%2e/login` skips nothing. What is protected
 * is so in any case of letters, with or without a slash at the end; what is skipped as it is written.
 */
export function compileRoute(protect: readonly string[], skip: readonly string[]): IsProtected {
  const protects = protect.map((glob) => compileFoldedGlob(glob));
  const skips = skip.map((glob) => compileGlob(glob));
  const isProtected = (folded: string) => protects.some((matches) => matches(folded));
  return (readings) =>
    readings === undefined ||
    (readings.some((path) => isProtected(foldPath(path))) &&
      !(skips.length > 0 && readings.every((path) => skips.some((matches) => matches(path)))));
}

/** How a site samples the bodies of its requests. */
export interface Sampling {
  readonly maxBytes: number;
  readonly names: SecretNames;
}

/** Undefined for a site that samples none. */
function compileSampling({
  sample_body: maxBytes,
  sample_without: names,
}: Site): Sampling | undefined {
  return maxBytes === 0 ? undefined : { maxBytes, names: compileSecretNames(names) };
}

/** Uploads, and what else the pages of Guard ask for, are below this path. */
export const COLLECTOR_ROOT = '/.guard';

/**
 * Paths that belong to Guard on every site, in any spelling that an origin might take for them: they
 * never reach it.
 */
export function isCollectorPath(readings: readonly string[]): boolean {
  return readings.some((path) => path === COLLECTOR_ROOT || path.startsWith(`${COLLECTOR_ROOT}/`));
}
