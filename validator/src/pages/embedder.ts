import { referrerOrigin } from '@guard/config/contract/referrer-origin';
import { isFrame } from '../request/representation.ts';

/** A value that cannot add another source or directive to a Content-Security-Policy. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/;

/**
 * The origin of the page that shows this page in a frame, such as a sign-in that is renewed in a frame. Only pages of
 * the same site may frame the challenge, because only there the browser always sends the cookie of the challenge. Empty
 * for the frames of all other pages. Undefined when the browser loads no frame.
 */
export function embedderOf(headers: Readonly<Record<string, string>>): string | undefined {
  if (!isFrame(headers)) return undefined;
  if (headers['sec-fetch-site'] !== 'same-site') return '';
  const origin = referrerOrigin(headers['referer']);
  return PLAIN_ORIGIN.test(origin) ? origin : '';
}
