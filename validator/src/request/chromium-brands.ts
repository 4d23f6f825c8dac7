import type { BrowserClaim } from './browser-claim.ts';

/** What the punctuation, the version and the place of Chromium's GREASE brand are drawn from. */
const PUNCTUATION = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'] as const;
const VERSIONS = ['8', '99', '24'] as const;
type Places = readonly [grease: number, chromium: number, product: number];
/** Places of GREASE, Chromium and the product in a list of three. */
const PLACES: readonly [Places, ...Places[]] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

/** The first major that draws its GREASE brand in this way. */
const SINCE = 110;

const BRAND = { chrome: 'Google Chrome', edge: 'Microsoft Edge' } as const;

/**
 * The brand that Chromium of one major version adds to `sec-ch-ua` so that no site relies on the list
 * (W3C UA-CH, GREASE). It is drawn from the version, not at random: each major always has the same.
 */
export function greaseBrand(major: number): string {
  const first = pick(PUNCTUATION, major);
  const second = pick(PUNCTUATION, major + 1);
  return `"Not${first}A${second}Brand";v="${pick(VERSIONS, major)}"`;
}

/** The whole `sec-ch-ua` of Chrome or Edge; empty for others, and for versions that drew differently. */
export function expectedBrands({ product, major }: BrowserClaim): string {
  if ((product !== 'chrome' && product !== 'edge') || major < SINCE) return '';
  const brands = [
    greaseBrand(major),
    `"Chromium";v="${major}"`,
    `"${BRAND[product]}";v="${major}"`,
  ] as const;
  const list: string[] = [];
  pick(PLACES, major).forEach((place, which) => {
    list[place] = brands[which] ?? '';
  });
  return list.join(', ');
}

/** Whether a brand list has the GREASE brand of its version, on its side of Chromium. */
export function hasGreaseOf(major: number, brands: string): boolean {
  if (major < SINCE) return brands.includes('Not') && brands.includes('Brand');
  const grease = brands.indexOf(greaseBrand(major));
  if (grease === -1) return false;
  // Lists of two or four have other places to draw from.
  if (brands.split('", "').length !== 3) return true;
  const [greasePlace, chromiumPlace] = pick(PLACES, major);
  return grease < brands.indexOf('"Chromium"') === greasePlace < chromiumPlace;
}

function pick<T>(list: readonly [T, ...T[]], seed: number): T {
  return list[seed % list.length] ?? list[0];
}
