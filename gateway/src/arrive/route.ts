import { compileFoldedGlob, compileGlob, foldPath } from '@guard/config/matching/glob';

/**
 * Whether the validator is to be asked about a path, given every way an origin may read it. A path with
 * too many of them is protected, and refused before anybody is asked.
 */
export type IsProtected = (readings: readonly string[] | undefined) => boolean;

/**
 * `protect` and `skip` of a site. One reading that is protected is enough to ask; only a path whose
 * every reading is to be skipped is skipped. So `/assets/%2e%2e/login` skips nothing. What is protected
 * is so in any case of letters, with or without a slash at the end; what is skipped as it is written.
 */
export function compileRoute(protect: readonly string[], skip: readonly string[]): IsProtected {
  const protects = protect.map((glob) => compileFoldedGlob(glob));
  const skips = skip.map((glob) => compileGlob(glob));
  const isProtected = (folded: string) => protects.some((matches) => matches(folded));
  return (readings) =>
    readings === undefined ||
    (readings.some((path) => isProtected(foldPath(path))) &&
      !(skips.length > 0 && readings.every((path) => skips.some((matches) => matches(path)))));
}
