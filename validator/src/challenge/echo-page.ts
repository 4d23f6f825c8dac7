import { createHash } from 'node:crypto';
import type { CollectAnswer, CollectRequest } from '@guard/config/contract/ports';

/**
 * The fragment of the URL is the name of a channel. The script sends one word on this channel. Then it reports this to
 * the page two levels up, if that page has the same origin (browser/page/sources/partition.ts). Foreign sites can open
 * this page in a frame too. So the script accepts only names in the form that the challenge page uses. With other
 * names, a foreign site could send messages on the site's own channels.
 */
const SCRIPT =
  "var n=location.hash.slice(1);if(/^guard-[\\d.e-]+$/.test(n)){new BroadcastChannel(n).postMessage('frame');parent.parent.postMessage(n,location.origin)}";
const PAGE = `<!doctype html><meta charset="utf-8"><title>Echo</title><script>${SCRIPT}</script>`;
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

/** The headers are the same for all visitors and all requests. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  // There is no frame-ancestors directive, because it cannot name the surrounding frame, which has no origin.
  'Content-Security-Policy': `default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; base-uri 'none'; form-action 'none'`,
  'Cache-Control': 'public, max-age=86400',
  // A challenge page in a frame has this policy (pages/page-headers.ts). So the frames inside it need the policy too.
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
