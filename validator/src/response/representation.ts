import type { Facts } from '../request/facts.ts';

export type Representation = 'html' | 'problem';

/**
 * Whether a denied request is answered with a page or with `application/problem+json`. A page is for
 * navigations, and for whoever does not say: a fetch or XHR, and a client that asks for JSON and
 * not for HTML, get the problem.
 */
export function representationFor({ headers }: Pick<Facts, 'headers'>): Representation {
  const mode = headers['sec-fetch-mode'];
  if (mode !== undefined) return mode === 'navigate' ? 'html' : 'problem';
  if (headers['x-requested-with']?.toLowerCase() === 'xmlhttprequest') return 'problem';
  const accept = headers['accept'] ?? '';
  return accept.includes('json') && !accept.includes('text/html') ? 'problem' : 'html';
}
