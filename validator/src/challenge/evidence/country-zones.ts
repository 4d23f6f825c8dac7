/// <reference lib="esnext.intl" />

/** Zones of the countries that were asked for, by their ISO 3166-1 code; 676 codes are possible. */
const zonesOf = new Map<string, ReadonlySet<string>>();

/**
 * Whether people of a country (ISO 3166-1 alpha-2, upper case) set their clocks by this IANA time zone,
 * as the Unicode CLDR of this Node knows it. Old and new names of one zone are the same. Undefined when
 * either is unknown, or the zone is no country's, such as UTC.
 */
export function isZoneOf(country: string, zone: string): boolean | undefined {
  const name = canonicalName(zone);
  if (name === undefined || !name.includes('/') || name.startsWith('Etc/')) return undefined;
  const zones = zonesIn(country);
  return zones.size === 0 ? undefined : zones.has(name);
}

function zonesIn(country: string): ReadonlySet<string> {
  if (!/^[A-Z]{2}$/.test(country)) return new Set();
  let zones = zonesOf.get(country);
  if (!zones) {
    const listed = new Intl.Locale(`und-${country}`).getTimeZones() ?? [];
    zones = new Set(listed.map((zone) => canonicalName(zone) ?? zone));
    zonesOf.set(country, zones);
  }
  return zones;
}

function canonicalName(zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    // No zone that this Node knows.
    return undefined;
  }
}
