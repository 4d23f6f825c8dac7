import { referrerOrigin } from '@guard/config/contract/referrer-origin';

/** A value that cannot add another source or directive to a Content-Security-Policy. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/;

/**
 * The origin of the page whose frame the browser loads, when it is another host of the same site, such as a sign-in that
 * is renewed in a frame. Such a page may show the challenge in its frame. Empty for all others: only with hosts of the
 * same site does the cookie of the challenge always come along.
 */
export function embedderOf(headers: Readonly<Record<string, string>>): string {
  const isFrame = headers['sec-fetch-dest'] === 'iframe' || headers['sec-fetch-dest'] === 'frame';
  if (!isFrame || headers['sec-fetch-site'] !== 'same-site') return '';
  const origin = referrerOrigin(headers['referer']);
  return PLAIN_ORIGIN.test(origin) ? origin : '';
}
