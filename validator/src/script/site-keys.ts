import { compileHosts } from '@guard/config/matching/host';
import type { Organisation, Site } from '@guard/config/settings/schema';

/** An organisation that uses the browser script, and the origins of its pages. */
interface ScriptTenant {
  readonly organisation: string;
  /** Whether the organisation allows its script on pages of this origin. `origin` is spelled as a browser sends it. */
  readonly allows: (origin: string) => boolean;
}

/** Finds the tenant by the site key in the query of a request. Undefined when the key is missing or wrong. */
export type FindTenant = (query: string | undefined) => ScriptTenant | undefined;

/**
 * Finds tenants by their site keys (contract 2.8). A site key is public, so it needs no comparison in constant time.
 * Only pages of certain origins can use it: the hosts of the organisation's sites, at any port, and its
 * `script_origins`. An organisation without sites and `script_origins` cannot use the script.
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

/** Longest origin that is read: a host name of 253 characters, with scheme and port. */
const MAX_ORIGIN_CHARS = 300;

/** Returns a function that checks an origin: it must have one of these hosts, at any port, or be in the list. */
export function compileOrigins(
  hosts: readonly string[],
  origins: readonly string[],
): ScriptTenant['allows'] {
  const listedOrigins = new Set(origins);
  const isHost = compileHosts([{ hosts, value: true }]);
  return (origin) => {
    if (listedOrigins.has(origin)) return true;
    const host = /^https?:\/\/([^/?#@]+)$/.exec(origin.slice(0, MAX_ORIGIN_CHARS + 1))?.[1];
    return host !== undefined && origin.length <= MAX_ORIGIN_CHARS && isHost(host) === true;
  };
}
