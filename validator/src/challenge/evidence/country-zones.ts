/// <reference lib="esnext.intl" />

/** Cache of the time zones by ISO 3166-1 country code. It cannot grow beyond the 676 possible codes. */
const zonesOf = new Map<string, ReadonlySet<string>>();

/**
 * Whether people in a country (ISO 3166-1 alpha-2, upper case) use this IANA time zone, according to the Unicode CLDR
 * of this Node. An old and a new name of one zone are equal. Undefined when the country or the zone is unknown, or when
 * the zone has no country, such as UTC.
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
    const listedZones = new Intl.Locale(`und-${country}`).getTimeZones() ?? [];
    zones = new Set(listedZones.map((zone) => canonicalName(zone) ?? zone));
    zonesOf.set(country, zones);
  }
  return zones;
}

function canonicalName(zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    // This version of Node does not have the zone.
    return undefined;
  }
}
