/** Regions in Unicode's data that are not countries: unions, and parts of countries with a reserved code. */
const NOT_COUNTRIES: ReadonlySet<string> = new Set('AC CP CQ DG EA EU EZ IC TA UN'.split(' '));

/** ISO 3166-1 reserves these for its users: databases use XK for Kosovo, and your own database may use others. */
const USER_ASSIGNED = /^(?:AA|Q[M-Z]|X[A-Z]|ZZ)$/;

/** The countries of Unicode's data (ICU), which is part of Node and follows ISO 3166-1. */
const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Whether ISO 3166-1 has these two capital letters, for a country or for its users. Withdrawn codes do not count. */
export function isCountryCode(code: string): boolean {
  if (USER_ASSIGNED.test(code)) return true;
  return !NOT_COUNTRIES.has(code) && currentCode(code) === code && countries.of(code) !== undefined;
}

/** Replaces a withdrawn or wrong code by the current one: UK becomes GB. Returns other codes unchanged. */
export function currentCode(code: string): string {
  return new Intl.Locale(`und-${code}`).region ?? code;
}
