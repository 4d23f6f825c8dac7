import type { Protocol } from '@guard/config/contract/event';
import type { ValidateContext } from '@guard/config/contract/ports';
import { compileExemption } from '@guard/config/matching/exemption';
import { foldReadings } from '@guard/config/matching/folded-readings';
import { compileFoldedGlob } from '@guard/config/matching/glob';
import { compileHosts } from '@guard/config/matching/host';
import type { Site } from '@guard/config/settings/schema';
import type { Client } from './client-ip.ts';
import { compileSecretNames, type SecretNames } from './sample/secret-names.ts';
import type { GatewaySettings, GatewaySite } from '../base/options.ts';
import type { Origins } from '../origin/origin.ts';
import type { OriginsOf } from '../origin/origins.ts';

/** A site with everything that is prepared before its first request. */
export interface ServedSite {
  readonly name: string;
  readonly config: GatewaySite;
  /** When it is true, the validator is asked and the event is recorded, but nothing is enforced. */
  readonly observe: boolean;
  /** The value of DecisionEvent.settingsRevision. */
  readonly settingsRevision: string;
  readonly isProtected: IsProtected;
  readonly origins: Origins;
  /** How to sample the bodies of requests. Undefined when events keep no part of a body. */
  readonly sampling: Sampling | undefined;
  /**
   * The contexts of questions. The first key is the source of the visitor's address. The second key is the protocol of
   * the request. The second key `described` is for forward-auth, where another proxy carries the origin's answer.
   */
  readonly contexts: Readonly<Record<Client['from'], ContextsByProtocol>>;
}

type ContextsByProtocol = Readonly<Record<Protocol | 'described', ValidateContext>>;

export interface Sites {
  /** The site of a Host header. Its port does not matter. Undefined for an unknown host (421). */
  readonly match: (host: string) => ServedSite | undefined;
}

function contextsOf(context: ValidateContext): ContextsByProtocol {
  const contextWithAnswer = { ...context, seesAnswer: true } as const;
  return {
    described: context,
    'HTTP/1.0': { ...contextWithAnswer, protocol: 'HTTP/1.0' },
    'HTTP/1.1': { ...contextWithAnswer, protocol: 'HTTP/1.1' },
    'HTTP/2.0': { ...contextWithAnswer, protocol: 'HTTP/2.0' },
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
  const servedSites = sites.map((config): ServedSite => {
    const name = config.settings.hosts[0] ?? '';
    return {
      name,
      config,
      observe: observe || config.settings.observe,
      settingsRevision,
      isProtected: compileRoute(config.settings.protect, config.settings.skip),
      origins: originsOf(name, config.settings.origin, config.settings.origin_timeout),
      sampling: compileSampling(config.settings),
      contexts: {
        peer: contextsOf({ site: name, ipFrom: 'peer' }),
        forwarded: contextsOf({ site: name, ipFrom: 'forwarded' }),
        'x-forwarded-for': contextsOf({ site: name, ipFrom: 'x-forwarded-for' }),
      },
    };
  });
  const match = compileHosts(
    servedSites.map((value) => ({ hosts: value.config.settings.hosts, value })),
  );
  return { match };
}

/**
 * Whether the validator is asked about a path, given all ways in which an origin may read it. The argument is
 * `undefined` for a path with too many readings. The result is then true, and the gateway refuses the path without a
 * question.
 */
export type IsProtected = (readings: readonly string[] | undefined, method?: string) => boolean;

/**
 * `protect` and `skip` of a site. A path is protected when one of its readings matches `protect`. It is skipped
 * only when every reading matches `skip`, so `/assets/%2e%2e/login` is not skipped. `protect` matches upper and
 * lower case, with or without a slash at the end. `skip` matches exactly as it is written.
 */
export function compileRoute(protect: readonly string[], skip: readonly string[]): IsProtected {
  const protectMatchers = protect.map((glob) => compileFoldedGlob(glob));
  const skipMatchers = skip.map(compileExemption);
  const isProtected = (foldedPath: string) =>
    protectMatchers.some((matches) => matches(foldedPath));
  return (readings, method = 'GET') =>
    readings === undefined ||
    (foldReadings(readings, method).some(isProtected) &&
      !(
        skipMatchers.length > 0 &&
        readings.every((path) => skipMatchers.some((matches) => matches(path)))
      ));
}

export interface Sampling {
  readonly maxBytes: number;
  readonly names: SecretNames;
}

/** How a site samples bodies. Undefined for a site that takes no samples. */
function compileSampling({
  sample_body: maxBytes,
  sample_without: names,
}: Site): Sampling | undefined {
  return maxBytes === 0 ? undefined : { maxBytes, names: compileSecretNames(names) };
}

/** The pages of Guard send uploads to paths below this path, and load their files from there. */
export const COLLECTOR_ROOT = '/.guard';

/** Whether a reading of the path is below `/.guard`. Such a path never reaches an origin. */
export function isCollectorPath(readings: readonly string[]): boolean {
  return readings.some((path) => path === COLLECTOR_ROOT || path.startsWith(`${COLLECTOR_ROOT}/`));
}
