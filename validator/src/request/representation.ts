import type { Facts } from './facts.ts';
import { readPageWish } from './accept.ts';

export type Representation = 'html' | 'problem';

/** Sec-Fetch-Dest of what a person looks at (Fetch standard, 2.2.7): a tab, and every kind of frame. */
const DOCUMENTS: ReadonlySet<string> = new Set([
  'document',
  'iframe',
  'frame',
  'embed',
  'object',
  'fencedframe',
]);

/**
 * Chromium says so of everything that a service worker passes on, also of a page. No script can send the mode `navigate`. A link
 * that downloads a file has both, and names no type.
 */
const HANDED_ON = 'empty';

/**
 * Whether a denied request is answered with a page or with `application/problem+json`. A page is for
 * navigations, in a tab or a frame, and for a client that does not say. A fetch, XHR, image, script or style
 * sheet, and a client that asks for another type before HTML, get the short problem. The method does
 * not matter: HEAD has the headers of its GET (RFC 9110 9.3.2).
 */
export function representationFor({ headers }: Pick<Facts, 'headers'>): Representation {
  return wantsPage(headers) ? 'html' : 'problem';
}

function wantsPage(headers: Facts['headers']): boolean {
  const destination = headers['sec-fetch-dest'];
  const mode = headers['sec-fetch-mode'];
  if (destination === HANDED_ON) {
    return mode === 'navigate' && readPageWish(headers['accept']).named;
  }
  if (destination !== undefined && !DOCUMENTS.has(destination)) return false;
  if (mode !== undefined) return mode === 'navigate';
  if (destination !== undefined) return true;
  if (headers['x-requested-with']?.toLowerCase() === 'xmlhttprequest') return false;
  const { html, named, other } = readPageWish(headers['accept']);
  // A browser names HTML first for a page; where only a wildcard covers it, what is named comes first.
  return html > 0 && (named ? html >= other : html > other);
}

/** Paths of what pages are made of. */
const FILE_OF_A_PAGE =
  /\.(?:avif|bmp|css|eot|gif|ico|jpe?g|js|map|mjs|mp3|mp4|oga|ogg|ogv|otf|png|svg|ttf|wasm|wav|webm|webmanifest|webp|woff2?)$/i;

/** Sec-Fetch-Dest of what the browser itself puts into a page (Fetch standard, 2.2.7). */
const PART: ReadonlySet<string> = new Set('audio font image script style track video'.split(' '));

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
