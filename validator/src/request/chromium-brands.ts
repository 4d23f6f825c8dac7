import type { BrowserClaim } from './browser-claim.ts';

/** Chromium takes the punctuation, the version and the position of its GREASE brand from these lists. */
const PUNCTUATION = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'] as const;
const VERSIONS = ['8', '99', '24'] as const;
type Places = readonly [grease: number, chromium: number, product: number];
/** Positions of GREASE, Chromium and the product in a list of three brands. */
const PLACES: readonly [Places, ...Places[]] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

/** The first major version with this method for the GREASE brand. */
const FIRST_MAJOR = 110;

const BRAND = { chrome: 'Google Chrome', edge: 'Microsoft Edge' } as const;

/**
 * The GREASE brand that Chromium adds to `sec-ch-ua`, so that no site relies on a fixed list (W3C UA-CH). It depends
 * only on the major version.
 */
export function greaseBrand(major: number): string {
  const firstMark = pick(PUNCTUATION, major);
  const secondMark = pick(PUNCTUATION, major + 1);
  return `"Not${firstMark}A${secondMark}Brand";v="${pick(VERSIONS, major)}"`;
}

/** The whole `sec-ch-ua` of Chrome or Edge. Empty for other browsers and for older versions. */
export function expectedBrands({ product, major }: BrowserClaim): string {
  if ((product !== 'chrome' && product !== 'edge') || major < FIRST_MAJOR) return '';
  const brands = [
    greaseBrand(major),
    `"Chromium";v="${major}"`,
    `"${BRAND[product]}";v="${major}"`,
  ] as const;
  const list: string[] = [];
  pick(PLACES, major).forEach((place, brandIndex) => {
    list[place] = brands[brandIndex] ?? '';
  });
  return list.join(', ');
}

/**
 * Whether a brand list has the GREASE brand of its version. In a list of three brands, this brand and the Chromium
 * brand must also have the order of this version.
 */
export function hasGreaseOf(major: number, brands: string): boolean {
  if (major < FIRST_MAJOR) return brands.includes('Not') && brands.includes('Brand');
  const grease = brands.indexOf(greaseBrand(major));
  if (grease === -1) return false;
  // The positions are known only for lists of three brands.
  if (brands.split('", "').length !== 3) return true;
  const [greasePlace, chromiumPlace] = pick(PLACES, major);
  return grease < brands.indexOf('"Chromium"') === greasePlace < chromiumPlace;
}

function pick<T>(list: readonly [T, ...T[]], number: number): T {
  return list[number % list.length] ?? list[0];
}
