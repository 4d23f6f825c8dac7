import { referrerOrigin } from '@guard/config/contract/referrer-origin';
import { isFrame } from '../request/representation.ts';

/** An origin that cannot add another source or directive to a Content-Security-Policy. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/;

/**
 * The origin of the page that shows this page in a frame, for example to renew a sign-in. Only pages of the same site
 * are allowed to do this, because browsers always send the session cookie only there. Empty for frames of all other
 * pages. Undefined when the browser loads no frame.
 */
export function embedderOf(headers: Readonly<Record<string, string>>): string | undefined {
  if (!isFrame(headers)) return undefined;
  if (headers['sec-fetch-site'] !== 'same-site') return '';
  const origin = referrerOrigin(headers['referer']);
  return PLAIN_ORIGIN.test(origin) ? origin : '';
}
