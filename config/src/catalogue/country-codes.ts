/** Regions in Unicode's data that are not countries: unions, and parts of countries with a reserved code. */
const NOT_COUNTRIES: ReadonlySet<string> = new Set('AC CP CQ DG EA EU EZ IC TA UN'.split(' '));

/**
 * ISO 3166-1 reserves these codes for its users. Databases use XK for Kosovo, and an operator's own database can use
 * other codes.
 */
const USER_ASSIGNED = /^(?:AA|Q[M-Z]|X[A-Z]|ZZ)$/;

/** The countries of Unicode's data (ICU), which is part of Node and follows ISO 3166-1. */
const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/**
 * Whether two capital letters are a code of ISO 3166-1, for a country or for users of the standard. The result is false
 * for withdrawn codes.
 */
export function isCountryCode(code: string): boolean {
  if (USER_ASSIGNED.test(code)) return true;
  return !NOT_COUNTRIES.has(code) && currentCode(code) === code && countries.of(code) !== undefined;
}

/** Replaces a withdrawn or wrong code by the current code: UK becomes GB. Returns other codes unchanged. */
export function currentCode(code: string): string {
  return new Intl.Locale(`und-${code}`).region ?? code;
}
