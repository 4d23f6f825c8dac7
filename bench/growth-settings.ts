import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ONE_PLAYS_ALL } from '../test/kit/product/policies.ts';
import { productSettings } from '../test/kit/product/product-settings.ts';

export interface Size {
  /** Number of sites. Each has its own organisation. */
  readonly sites: number;
  /** Number of rules of all organisations together. */
  readonly rules: number;
  /** Number of networks in the list that each organisation blocks. */
  readonly networks: number;
}

export const LARGE: Size = { sites: 1_000, rules: 10_000, networks: 100_000 };
export const SMALL: Size = { sites: 1, rules: 20, networks: 100 };

/** The number of rules of each organisation, except the first one. The first organisation has all other rules. */
const RULES_OF_MOST = 5;
/** The file with the list of networks, in the folder of guard.yaml. */
const LIST = 'networks.txt';

/** Returns the host of a site. The benches send requests for the first site. */
export function hostOf(site: number): string {
  return `shop-${site}.example`;
}

/**
 * Returns a rule of one of four frequent kinds: a block or a budget for a path of a host, a challenge for all writing
 * requests to a host, or an allow for a program.
 */
export function oneOfMany(number: number): Readonly<Record<string, unknown>> {
  const name = `rule ${number}`;
  const host = `shop-${number % 500}.partner.example`;
  switch (number % 4) {
    case 0:
      return { name, match: { host, path: `/area-${number}/**` }, verdict: 'block', status: 404 };
    case 1:
      return {
        name,
        match: { path: `/login-${number}`, method: 'POST' },
        rate_limit: { requests: 10, per: '1m', by: 'ip' },
      };
    case 2:
      return {
        name,
        match: { host, method: ['PUT', 'DELETE'] },
        detect: true,
        challenge: 'always',
      };
    default:
      return {
        name,
        match: { path: [`/feed-${number}.xml`, `/old-${number}/**`], user_agent: '*reader*' },
        verdict: 'allow',
      };
  }
}

/** The rules of one organisation: the list comes first, and detection last. */
function rulesOf(count: number): readonly unknown[] {
  const middleRules = Array.from({ length: count - 2 }, (_, number) => oneOfMany(number));
  return [
    { name: 'listed', match: { ip: { file: LIST } }, verdict: 'block' },
    ...middleRules,
    { name: 'everybody', match: {}, detect: true },
  ];
}

/** Settings of this size as YAML. Each `turn` gives different settings. */
export function settingsText({ sites, rules }: Size, origin: string, turn = 0): string {
  const remainingRules = rules - RULES_OF_MOST * (sites - 1);
  const settings = productSettings(origin, {
    top: {
      organisations: Array.from({ length: sites }, (_, number) => ({
        id: `org-${number}`,
        analytics_keys: [
          { id: 'main', key: `sk_api_ro_of_organisation_${number}_${'x'.repeat(16)}` },
        ],
        presets: ['well-known', 'feeds'],
        ...ONE_PLAYS_ALL,
        rules: [
          { name: `turn ${turn}`, match: { path: `/never/${turn}` }, verdict: 'block' },
          ...rulesOf((number === 0 ? remainingRules : RULES_OF_MOST) - 1),
        ],
      })),
      sites: Array.from({ length: sites }, (_, number) => ({
        hosts: [hostOf(number), `www.${hostOf(number)}`],
        organisation: `org-${number}`,
        origin,
      })),
    },
  });
  return stringify(settings, { aliasDuplicateObjects: false });
}

/** Writes the list of networks into a folder. */
export function writeList(folder: string, { networks }: Size): void {
  const lines = Array.from(
    { length: networks },
    (_, index) => `${11 + 2 * (index >> 16)}.${(index >> 8) & 255}.${index & 255}.0/24\n`,
  );
  writeFileSync(join(folder, LIST), lines.join(''));
}
