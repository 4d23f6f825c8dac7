import type { Settings, Organisation, Site } from '@guard/config/settings/schema';
import { challengedVisitors, unlistedPages } from './challenged-visitors.ts';
import { type Remark, warning, hint } from './remark.ts';
import { idleRules, monitoredRules, unseenHandshakes, unservedHosts } from './rule-remarks.ts';
import { canBeIssued } from '@guard/config/settings/sections/acme';
import { compileHosts } from '@guard/config/matching/host';
import { acmeHosts } from '@guard/config/settings/derived/acme-hosts';
import type { ListenAddress } from '@guard/config/settings/values/values';
import { compilePattern } from '@guard/config/matching/glob';
import { readingsOf } from '@guard/config/matching/path-readings';
import { compileRoute } from '@guard/gateway';
import { readFetchedKeys } from '@guard/config/settings/keys/agent-keys';
import { nearestName } from '@guard/config/settings/problems/nearest-name';
import { withInner } from '@guard/config/settings/sections/rule';
import type { AgentDirectory } from '@guard/config/settings/sections/web-bot-auth';
import { messageOf } from '../terminal/faults.ts';

/** What can be said about good settings without a connection: warnings and hints. */
export function remarksOn(settings: Settings): Remark[] {
  const { organisations, sites } = settings;
  return [
    ...(settings.observe
      ? [warning(['observe'], 'observe is on: nothing is enforced on any site')]
      : []),
    ...organisations.flatMap((organisation, index) => [
      ...(organisation.monitor
        ? [
            warning(
              ['organisations', index, 'monitor'],
              `monitor is on: no block of organisation ${organisation.id} is enforced`,
            ),
          ]
        : []),
      ...idleRules(organisation, index),
      ...unservedHosts(organisation, index, sites),
      ...unlistedPages(organisation, index, settings),
      ...monitoredRules(organisation, index),
      ...challengedVisitors(organisation, index),
    ]),
    ...unknownAgents(settings),
    ...unseenHandshakes(settings),
    ...acmeRemarks(settings),
    ...sites.flatMap((site, index) => [
      ...(site.observe
        ? [warning(['sites', index, 'observe'], 'observe is on: nothing is enforced on this site')]
        : []),
      ...coveredPaths(site, index, settings),
    ]),
  ];
}

/** What is to be known where an authority issues the certificates (`tls.acme`). */
function acmeRemarks(settings: Settings): Remark[] {
  const { tls, listen } = settings;
  if (tls?.acme === undefined) return [];
  const ports = listen.gateway
    ? portHint('gateway', listen.gateway, 80)
    : portHint('gateway_tls', listen.gateway_tls, 443);
  return [...ports, ...uncovered(settings)];
}

/** Hosts of sites that get no certificate in either way. */
function uncovered(settings: Settings): Remark[] {
  const files = settings.tls?.certificates ?? [];
  const isCovered = compileHosts([
    { hosts: acmeHosts(settings), value: true },
    ...files.map(({ hosts }) => ({ hosts, value: true })),
  ]);
  return settings.sites.flatMap(({ hosts }, site) =>
    hosts.flatMap((host, index) => {
      const isWild = host.startsWith('*');
      const example = host.replace(/^\*/, 'any-other-name');
      const isAsked = isWild || canBeIssued(host);
      if (!isAsked || isCovered(isWild ? example : host) === true) return [];
      const why = isWild
        ? 'none is issued for a wildcard by http-01 or tls-alpn-01'
        : 'none is ordered';
      const message = `no certificate for ${host}: ${why}; take one from files (tls.certificates), or name its hosts one by one`;
      return [warning(['sites', site, 'hosts', index], message)];
    }),
  );
}

/** The authority connects to these ports, whatever stands in the settings (RFC 8555 section 8.3, RFC 8737 section 3). */
function portHint(
  service: 'gateway' | 'gateway_tls',
  address: ListenAddress | undefined,
  expected: 80 | 443,
): Remark[] {
  if (address === undefined || (address.kind === 'tcp' && address.port === expected)) return [];
  const here = address.kind === 'tcp' ? `port ${address.port}` : 'this socket';
  const message = `the authority of tls.acme connects to port ${expected} of each host; that port has to lead to ${here}`;
  return [hint(['listen', service], message)];
}

/** Paths that programs ask for, which cannot pass a challenge: RFC 8555 8.3, and health checks. */
const HEALTH_PATHS = ['/health', '/healthz'];
const PROGRAMS_PATHS = ['/.well-known/acme-challenge/token', ...HEALTH_PATHS];

/** A site that protects paths of programs, and has nothing that lets these through. */
function coveredPaths(
  site: Site,
  index: number,
  { organisations, tls }: Pick<Settings, 'organisations' | 'tls'>,
): Remark[] {
  const isProtected = compileRoute(site.protect, site.skip);
  const organisation = organisations.find(({ id }) => id === site.organisation);
  // With tls.acme Guard answers the authority itself.
  const paths = tls?.acme === undefined ? PROGRAMS_PATHS : HEALTH_PATHS;
  const covered = paths.filter(
    (path) => isProtected(readingsOf(path)) && !(organisation && isLetThrough(path, organisation)),
  );
  if (covered.length === 0) return [];
  const names = covered.map((path) => path.replace(/token$/, '')).join(', ');
  const isAcme = covered.some((path) => path.startsWith('/.well-known/'));
  const preset = isAcme ? ', or use presets: [well-known] for certificates' : '';
  const message = `protects ${names}: programs that ask there can be stopped; put what your site has into skip${preset}`;
  return [hint(['sites', index, 'protect'], message)];
}

/** Whether a rule names the path and allows. Its other conditions are not looked at. */
function isLetThrough(path: string, { presets, rules }: Organisation): boolean {
  if (path.startsWith('/.well-known/') && presets.includes('well-known')) return true;
  return rules.some(
    ({ verdict, match }) =>
      verdict === 'allow' && (match.path ?? []).some((pattern) => compilePattern(pattern)(path)),
  );
}

/** Signed agents that nothing can prove: directories without fetched keys, and rules that name a stranger. */
function unknownAgents({ web_bot_auth: settings, organisations }: Settings): Remark[] {
  const { directories = [], fetched_keys: folder = '', keys } = settings ?? {};
  const known = [
    ...directories.flatMap(({ name, url }) => [name, url]),
    ...(keys?.keys.map(({ agent }) => agent.toLowerCase()) ?? []),
  ];
  const strangers = organisations.flatMap(({ rules }, index) =>
    rules.flatMap(({ match }, place) =>
      withInner(match)
        .flatMap(({ agent = [] }) => agent)
        .filter((agent) => agent !== '*' && !known.includes(agent.toLowerCase().replace(/\/$/, '')))
        .map((agent) =>
          warning(['organisations', index, 'rules', place, 'match'], strangerMessage(agent, known)),
        ),
    ),
  );
  const unfetched = directories.flatMap((directory, index) => {
    const state = stateOf(directory, folder);
    return state === undefined
      ? []
      : [warning(['web_bot_auth', 'directories', index], `${state}: run guard agents refresh`)];
  });
  return [...strangers, ...unfetched];
}

function strangerMessage(agent: string, known: readonly string[]): string {
  const near = nearestName(agent, known);
  const meant = near === undefined ? '' : `; did you mean ${near}?`;
  return `no directory and no key of web_bot_auth is called ${agent}, so this never holds${meant}`;
}

/** What is missing of a directory; undefined where it has keys. */
function stateOf(directory: AgentDirectory, folder: string): string | undefined {
  try {
    if (readFetchedKeys(folder, directory) !== undefined) return undefined;
    return `no keys of ${directory.url} are here`;
  } catch (error) {
    return messageOf(error);
  }
}
