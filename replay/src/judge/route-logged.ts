import { compileHosts } from '@guard/config/matching/host';
import { readingsOf } from '@guard/config/matching/path-readings';
import type { Settings, Site } from '@guard/config/settings/schema';
import { compileRoute } from '@guard/gateway';
import type { LoggedRequest, Outcome } from '../logged/logged-request.ts';

/** The organisation whose rules would judge a request. */
type Routing =
  | {
      readonly kind: 'asked';
      readonly organisation: string;
      /** The site, in the form of the event column `site`. Empty when the request has no site. */
      readonly site: string;
      readonly host: string;
    }
  | { readonly kind: 'unasked'; readonly outcome: Outcome }
  /** The log names no host, and there are several sites. */
  | { readonly kind: 'unknown' };

const NO_SITE: Routing = { kind: 'unasked', outcome: 'no_site' };
const NOT_IN_REVISION: Routing = { kind: 'unasked', outcome: 'elsewhere' };
const UNPROTECTED: Routing = { kind: 'unasked', outcome: 'unprotected' };

/** Routes logged requests as the gateway would, by host and path. */
export function createRouter(
  { organisations, sites }: Settings,
  assumedHost: string | undefined,
): (request: LoggedRequest) => Routing {
  const routes = sites.map((site) => ({
    hosts: site.hosts,
    value: { site, isProtected: compileRoute(site.protect, site.skip) },
  }));
  const routeOf = compileHosts(routes);
  const knownOrganisations = new Set(organisations.map(({ id }) => id));
  const defaultHost = assumedHost ?? (sites.length === 1 ? nameOf(sites[0]) : undefined);

  return ({ host = defaultHost, target, organisation }) => {
    if (host === undefined) return { kind: 'unknown' };
    if (organisation !== undefined) {
      return knownOrganisations.has(organisation)
        ? { kind: 'asked', organisation, site: '', host }
        : NOT_IN_REVISION;
    }
    const route = routeOf(host);
    if (route === undefined) return NO_SITE;
    const { site, isProtected } = route;
    if (!isProtected(readingsOf(pathOf(target)))) return UNPROTECTED;
    return knownOrganisations.has(site.organisation)
      ? { kind: 'asked', organisation: site.organisation, site: site.hosts[0] ?? '', host }
      : NOT_IN_REVISION;
  };
}

/** The reason why no request of a log has a site, as a part of a sentence. Undefined when requests can have a site. */
export function siteFault(
  { sites }: Settings,
  requestedHost: string | undefined,
): string | undefined {
  const names = sites.map(({ hosts }) => hosts[0] ?? '').join(', ');
  if (sites.length === 0) return 'the settings have no site, so no request is protected';
  if (requestedHost === undefined) return undefined;
  const findSite = compileHosts(sites.map((site) => ({ hosts: site.hosts, value: site })));
  return findSite(requestedHost)
    ? undefined
    : `no site has the host ${requestedHost}; there are ${names}`;
}

/** One host of the site, for use in URLs. */
function nameOf(site: Site | undefined): string {
  const host = site?.hosts[0] ?? '';
  return host === '*' ? 'localhost' : host.replace(/^\*\./, 'www.');
}

function pathOf(target: string): string {
  const question = target.indexOf('?');
  return question === -1 ? target : target.slice(0, question);
}
