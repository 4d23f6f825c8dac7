import { compileHosts } from '@guard/config/matching/host';
import { readingsOf } from '@guard/config/matching/path-readings';
import type { Settings, Site } from '@guard/config/settings/schema';
import { compileRoute } from '@guard/gateway';
import { organisationIds } from '../command-line/choose-organisation.ts';
import type { Asked } from './read-request.ts';

/** The organisation whose rules answer, and what the gateway does before it asks. */
interface Chosen {
  readonly organisation: string;
  /** The site as events name it: by its first host. Empty without a site. */
  readonly site: string;
  /** Sentences about what the rules do not show. */
  readonly notes: readonly string[];
}

/**
 * Returns the given organisation, or that of the site with this host, or the only one. Without a host and path in
 * `requested` the request is malformed, and the answer is the same for every organisation. A text is a sentence about a
 * mistake.
 */
export function choosePolicy(
  settings: Settings,
  asked: Asked,
  requested: { readonly host: string; readonly path: string } | undefined,
): Chosen | string {
  const { organisations, sites } = settings;
  if (organisations.length === 0) return 'the settings have no organisation, so no rules';
  if (asked.organisation !== undefined) return byOrganisation(settings, asked.organisation);
  const [first] = organisations;
  if (requested === undefined && first !== undefined) {
    return { organisation: first.id, site: '', notes: [] };
  }
  const siteOf = compileHosts(sites.map((site) => ({ hosts: site.hosts, value: site })));
  const { host: named = '', path = '/' } = requested ?? {};
  const host = asked.site ?? named;
  const site = siteOf(host);
  if (site !== undefined) return ofSite(site, settings, path);
  if (asked.site !== undefined) {
    const hosts = sites.flatMap((one) => one.hosts).join(', ') || 'none';
    return `no site has the host ${asked.site}; there are ${hosts}`;
  }
  if (first === undefined || organisations.length > 1) {
    const ids = organisationIds(settings);
    return `no site has the host ${host}; say --site HOST, or --organisation: ${ids}`;
  }
  const note =
    sites.length === 0
      ? []
      : [`No site has the host ${host}: the gateway would answer 421 and not ask.`];
  return { organisation: first.id, site: '', notes: note };
}

function byOrganisation(settings: Settings, organisation: string): Chosen | string {
  return settings.organisations.some(({ id }) => id === organisation)
    ? { organisation, site: '', notes: [] }
    : `no organisation has the id ${organisation}; there are ${organisationIds(settings)}`;
}

function ofSite(site: Site, { organisations }: Settings, path: string): Chosen | string {
  const { organisation, protect, skip, validator } = site;
  const name = site.hosts[0] ?? '';
  if (!organisations.some(({ id }) => id === organisation)) {
    return `the rules of site ${name} are at its remote validator; explain it there`;
  }
  const isProtected = compileRoute(protect, skip)(readingsOf(path));
  const notes = [
    ...(isProtected ? [] : [`Site ${name} does not protect this path: the gateway would not ask.`]),
    ...(validator === 'in-process'
      ? []
      : [`Site ${name} asks a remote validator; these are the rules of this file.`]),
  ];
  return { organisation, site: name, notes };
}
