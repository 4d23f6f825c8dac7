import { createHash } from 'node:crypto';
import type { CollectAnswer, CollectRequest } from '@guard/config/contract/ports';

/**
 * Sends one word on the channel named in the fragment of its URL. Then it reports this to the page two levels up, if
 * that page has the same origin (browser/page/sources/partition.ts). A foreign frame can show this page too, so the
 * name must have the form that the challenge page draws. Any other text would be a message of the site to its own pages.
 */
const SCRIPT =
  "var n=location.hash.slice(1);if(/^guard-[\\d.e-]+$/.test(n)){new BroadcastChannel(n).postMessage('frame');parent.parent.postMessage(n,location.origin)}";
const PAGE = `<!doctype html><meta charset="utf-8"><title>Echo</title><script>${SCRIPT}</script>`;
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

/** The headers are the same for all visitors and all requests. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  // A frame-ancestors directive is impossible, because the surrounding frame has no origin that it could name.
  'Content-Security-Policy': `default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; base-uri 'none'; form-action 'none'`,
  'Cache-Control': 'public, max-age=86400',
  // The challenge page in a frame has such a policy (pages/page-headers.ts), and the surrounding frame has no origin.
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};

/** `GET /echo`: the static page inside a frame of the challenge page. It has no cookies, parameters or state. */
export function answerEchoPage({ method }: Pick<CollectRequest, 'method'>): CollectAnswer {
  return method === 'GET' || method === 'HEAD'
    ? { status: 200, headers: HEADERS, body: PAGE }
    : { status: 405, headers: { Allow: 'GET, HEAD', 'Cache-Control': 'no-store' }, body: '' };
}
