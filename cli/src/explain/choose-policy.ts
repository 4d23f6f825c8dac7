import { compileHosts } from '@guard/config/matching/host';
import { readingsOf } from '@guard/config/matching/path-readings';
import type { Settings, Site } from '@guard/config/settings/schema';
import { compileRoute } from '@guard/gateway';
import { organisationIds } from '../command-line/choose-organisation.ts';
import type { ExplainCall } from './read-request.ts';

interface ChosenPolicy {
  readonly organisation: string;
  /** The name of the site in events: its first host. Empty when there is no site. */
  readonly site: string;
  /** Sentences about facts that the rules do not show. */
  readonly notes: readonly string[];
}

/** What a request asks for. */
export interface ExplainTarget {
  readonly method: string;
  readonly host: string;
  readonly path: string;
}

/**
 * Chooses the organisation: the given one, or the organisation of the site with this host, or the only one. Without a
 * `target` the request is malformed, and the answer is the same for every organisation. When the result is a text, it
 * is a sentence about a mistake.
 */
export function choosePolicy(
  settings: Settings,
  call: ExplainCall,
  target: ExplainTarget | undefined,
): ChosenPolicy | string {
  const { organisations, sites } = settings;
  if (organisations.length === 0) return 'the settings have no organisation, so no rules';
  if (call.organisation !== undefined) return policyOfOrganisation(settings, call.organisation);
  const [firstOrganisation] = organisations;
  if (target === undefined && firstOrganisation !== undefined) {
    return { organisation: firstOrganisation.id, site: '', notes: [] };
  }
  const siteOf = compileHosts(sites.map((site) => ({ hosts: site.hosts, value: site })));
  const requestedHost = target?.host ?? '';
  const host = call.site ?? requestedHost;
  const site = siteOf(host);
  if (site !== undefined) return policyOfSite(site, settings, target);
  if (call.site !== undefined) {
    const hosts = sites.flatMap((otherSite) => otherSite.hosts).join(', ') || 'none';
    return `no site has the host ${call.site}; there are ${hosts}`;
  }
  if (firstOrganisation === undefined || organisations.length > 1) {
    const ids = organisationIds(settings);
    return `no site has the host ${host}; say --site HOST, or --organisation: ${ids}`;
  }
  const note =
    sites.length === 0
      ? []
      : [`No site has the host ${host}: the gateway would answer 421 and not ask.`];
  return { organisation: firstOrganisation.id, site: '', notes: note };
}

function policyOfOrganisation(settings: Settings, organisation: string): ChosenPolicy | string {
  return settings.organisations.some(({ id }) => id === organisation)
    ? { organisation, site: '', notes: [] }
    : `no organisation has the id ${organisation}; there are ${organisationIds(settings)}`;
}

function policyOfSite(
  site: Site,
  { organisations }: Settings,
  target: ExplainTarget | undefined,
): ChosenPolicy | string {
  const { organisation, protect, skip, validator } = site;
  const name = site.hosts[0] ?? '';
  if (!organisations.some(({ id }) => id === organisation)) {
    return `the rules of site ${name} are at its remote validator; explain it there`;
  }
  const isProtected = compileRoute(protect, skip)(readingsOf(target?.path ?? '/'), target?.method);
  const notes = [
    ...(isProtected ? [] : [`Site ${name} does not protect this path: the gateway would not ask.`]),
    ...(validator === 'in-process'
      ? []
      : [`Site ${name} asks a remote validator; these are the rules of this file.`]),
  ];
  return { organisation, site: name, notes };
}
