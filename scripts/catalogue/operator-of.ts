import type { Seed } from './seeds.ts';

/** Sites that describe crawlers of other operators, or that host projects of users. */
const ABOUT_OTHERS: ReadonlySet<string> = new Set([
  'datadome.co',
  'discord.com',
  'github.com',
  'github.io',
  'knownagents.com',
  'pypi.org',
  'sourceforge.net',
  'sf.net',
  'techmeme.com',
  'udger.com',
  'useragentstring.com',
  'zapto.org',
]);

/** Second-level domains below which users register a third label. */
const REGISTRY_LABELS: ReadonlySet<string> = new Set(['ac', 'co', 'com', 'edu', 'govt', 'org']);

/**
 * Returns the operator of the page that an agent names. It is a known operator with the name of the domain, or else the
 * domain itself. It is `Unknown` when the page is on a site that describes or hosts crawlers of others.
 */
export function operatorOf(url: string, knownSeeds: readonly Seed[]): string {
  const domain = URL.canParse(url) ? domainOf(new URL(url).hostname) : undefined;
  if (domain === undefined || ABOUT_OTHERS.has(domain)) return 'Unknown';
  const [label = ''] = domain.split('.');
  const match = knownSeeds.find(({ operator }) => {
    const name = operator.toLowerCase();
    return name === domain || name.replaceAll(/[^a-z0-9]/g, '') === label.replaceAll('-', '');
  });
  return match?.operator ?? domain;
}

/** Returns the registered domain of a host name. Undefined for an IP address. */
function domainOf(host: string): string | undefined {
  const labels = host.split('.');
  if (/^[\d.]+$|^\[/.test(host) || labels.length < 2) return undefined;
  const isRegistry = labels.at(-1)?.length === 2 && REGISTRY_LABELS.has(labels.at(-2) ?? '');
  return labels.slice(isRegistry ? -3 : -2).join('.');
}
