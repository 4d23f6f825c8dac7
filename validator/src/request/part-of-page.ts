import type { Facts } from './facts.ts';
import { representationFor } from './representation.ts';

/** Paths of what pages are made of. */
const FILE_OF_A_PAGE =
  /\.(?:avif|bmp|css|eot|gif|ico|jpe?g|js|map|mjs|mp3|mp4|oga|ogg|ogv|otf|png|svg|ttf|wasm|wav|webm|webmanifest|webp|woff2?)$/i;

/** Sec-Fetch-Dest of what the browser itself puts into a page (Fetch standard, 2.2.7). */
const PART: ReadonlySet<string> = new Set([
  'audio',
  'font',
  'image',
  'script',
  'style',
  'track',
  'video',
]);

/** True for a file that pages are made of, by its path; and for a preflight, which decides nothing. */
export function isFileOfPage({ method, url }: Pick<Facts, 'method' | 'url'>): boolean {
  return method === 'OPTIONS' || FILE_OF_A_PAGE.test(url.path);
}

/** The same, and what a browser says that it puts into a page. A program can say so of each request. */
export function isPartOfPage(facts: Pick<Facts, 'method' | 'url' | 'headers'>): boolean {
  return PART.has(facts.headers['sec-fetch-dest'] ?? '') || isFileOfPage(facts);
}

/**
 * True for what a person looks at. A caller of the API may pass on few header fields; then a file is no page, where
 * nothing says that it is shown by itself.
 */
export function isPage(facts: Pick<Facts, 'method' | 'url' | 'headers'>): boolean {
  if (representationFor(facts) !== 'html') return false;
  return facts.headers['sec-fetch-dest'] !== undefined || !isFileOfPage(facts);
}
