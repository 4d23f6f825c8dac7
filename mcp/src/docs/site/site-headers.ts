import { CONTENT_SECURITY_POLICY } from './html-page.ts';

/** Readers must revalidate each answer before they reuse it. */
const REVALIDATE = 'no-cache';

type TextType =
  | 'text/html'
  | 'text/javascript'
  | 'text/markdown'
  | 'text/css'
  | 'text/plain'
  | 'application/json'
  | 'image/svg+xml';

/** The header fields for a text that has its own path. */
export function textHeaders(type: TextType): Record<string, string> {
  return {
    ...commonHeaders(),
    'content-type': `${type}; charset=utf-8`,
    vary: 'Accept-Encoding',
  };
}

/**
 * The header fields for a path with several texts, from which Accept selects. `location` is the path that has only the
 * selected text.
 */
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

export function pictureHeaders(): Record<string, string> {
  return { ...commonHeaders(), 'content-type': 'image/png' };
}

/** The header fields for a path that contains a hash of the content. Content at such a path never changes. */
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
