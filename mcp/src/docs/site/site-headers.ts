import { CONTENT_SECURITY_POLICY } from './html-page.ts';

/** Nothing here says of itself how long it is good for: each answer is compared with the one at hand. */
const REVALIDATE = 'no-cache';

type TextType =
  | 'text/html'
  | 'text/javascript'
  | 'text/markdown'
  | 'text/css'
  | 'text/plain'
  | 'application/json'
  | 'image/svg+xml';

/** Headers of a text that is the only one at its path. */
export function textHeaders(type: TextType): Record<string, string> {
  return {
    ...commonHeaders(),
    'content-type': `${type}; charset=utf-8`,
    vary: 'Accept-Encoding',
  };
}

/** Headers of one of two texts at a path, chosen by Accept; `location` is where it stands alone. */
export function negotiatedHeaders(
  type: 'text/html' | 'text/markdown',
  location?: string,
): Record<string, string> {
  return {
    ...textHeaders(type),
    vary: 'Accept, Accept-Encoding',
    ...(location !== undefined && { 'content-location': location }),
  };
}

/** Headers of a picture. */
export function pictureHeaders(): Record<string, string> {
  return { ...commonHeaders(), 'content-type': 'image/png' };
}

/** For a path that names its content: what stands there never changes. */
export function foreverHeaders(type: TextType): Record<string, string> {
  return { ...textHeaders(type), 'cache-control': 'public, max-age=31536000, immutable' };
}

function commonHeaders(): Record<string, string> {
  return {
    'cache-control': REVALIDATE,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
}
