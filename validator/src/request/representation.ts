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
