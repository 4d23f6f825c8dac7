import { compileHosts } from '@guard/config/matching/host';
import type { Organisation, Site } from '@guard/config/settings/schema';

/** Whose pages load the browser script, and which pages those are. */
export interface ScriptTenant {
  readonly organisation: string;
  /** True for an origin, as a browser sends it, on which the organisation's script may run. */
  readonly allows: (origin: string) => boolean;
}

/** The tenant of a request by its query; undefined when the site key is missing or wrong. */
export type FindTenant = (query: string | undefined) => ScriptTenant | undefined;

/**
 * Site keys to tenants (contract 2.8). The key is public, so it is looked up and not compared in constant
 * time. What keeps other people's pages from using it is their origin: the hosts of the organisation's
 * sites, at any port, and its `script_origins`. Who has neither runs the script nowhere.
 */
export function createSiteKeys(
  organisations: readonly Pick<Organisation, 'id' | 'site_key' | 'script_origins'>[],
  sites: readonly Pick<Site, 'hosts' | 'organisation'>[],
): FindTenant {
  const tenants = new Map<string, ScriptTenant>();
  for (const { id, site_key, script_origins } of organisations) {
    if (site_key === undefined) continue;
    const hosts = sites.flatMap((site) => (site.organisation === id ? site.hosts : []));
    tenants.set(site_key, { organisation: id, allows: compileOrigins(hosts, script_origins) });
  }
  return (query) => {
    const key = new URLSearchParams(query ?? '').get('site_key');
    return key === null ? undefined : tenants.get(key);
  };
}

/** Longest origin that is looked at: a host name of 253 characters, its scheme and its port. */
const MAX_ORIGIN_CHARS = 300;

/** Tells the origins on which pages of these hosts run, at any port, and the origins that are listed. */
export function compileOrigins(
  hosts: readonly string[],
  origins: readonly string[],
): ScriptTenant['allows'] {
  const listed = new Set(origins);
  const isHost = compileHosts([{ hosts, value: true }]);
  return (origin) => {
    if (listed.has(origin)) return true;
    const host = /^https?:\/\/([^/?#@]+)$/.exec(origin.slice(0, MAX_ORIGIN_CHARS + 1))?.[1];
    return host !== undefined && origin.length <= MAX_ORIGIN_CHARS && isHost(host) === true;
  };
}
