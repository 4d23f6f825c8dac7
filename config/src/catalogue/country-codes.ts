/** Regions that Unicode knows besides the countries: unions, and parts of countries whose code is reserved. */
const NO_COUNTRIES: ReadonlySet<string> = new Set('AC CP CQ DG EA EU EZ IC TA UN'.split(' '));

/** ISO 3166-1 leaves these to its users. Country databases have XK for Kosovo; a database of your own may have more. */
const USER_ASSIGNED = /^(?:AA|Q[M-Z]|X[A-Z]|ZZ)$/;

/** The countries come from Unicode's data, which Node brings (ICU) and which follows ISO 3166-1. */
const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Whether ISO 3166-1 has two capital letters, for a country or for its users. A withdrawn code is none. */
export function isCountryCode(code: string): boolean {
  if (USER_ASSIGNED.test(code)) return true;
  return !NO_COUNTRIES.has(code) && currentCode(code) === code && countries.of(code) !== undefined;
}

/** The code that stands for a withdrawn or mistaken one: GB for UK. The code itself where there is none. */
export function currentCode(code: string): string {
  return new Intl.Locale(`und-${code}`).region ?? code;
}
