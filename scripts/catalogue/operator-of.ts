import type { Seed } from './seeds.ts';

/** Sites that describe crawlers of others, or that host projects of users. */
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
 * The operator of the page that an agent names: a known operator whose name is the domain, or the domain itself, or
 * `Unknown` when the page belongs to another site.
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

/** The registered domain of a host name. Undefined for an address. */
function domainOf(host: string): string | undefined {
  const labels = host.split('.');
  if (/^[\d.]+$|^\[/.test(host) || labels.length < 2) return undefined;
  const isRegistry = labels.at(-1)?.length === 2 && REGISTRY_LABELS.has(labels.at(-2) ?? '');
  return labels.slice(isRegistry ? -3 : -2).join('.');
}
