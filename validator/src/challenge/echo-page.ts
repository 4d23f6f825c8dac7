import { createHash } from 'node:crypto';
import type { CollectAnswer, CollectRequest } from '@guard/config/contract/ports';

/**
 * Says one word on the channel that its fragment names, then tells the page around its frame, if that
 * is of the same origin, that it has (browser/page/sources/partition.ts).
 */
const SCRIPT =
  "var n=location.hash.slice(1);new BroadcastChannel(n).postMessage('frame');parent.parent.postMessage(n,location.origin)";
const PAGE = `<!doctype html><meta charset="utf-8"><title>Echo</title><script>${SCRIPT}</script>`;
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

/** The same for all visitors. Nothing in the request changes it. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  // No frame-ancestors: the frame around it has no origin that could be named there.
  'Content-Security-Policy': `default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; base-uri 'none'; form-action 'none'`,
  'Cache-Control': 'public, max-age=86400',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};

/** `GET /echo`: the static page that the challenge page frames. Without cookies, parameters or state. */
export function answerEchoPage({ method }: Pick<CollectRequest, 'method'>): CollectAnswer {
  return method === 'GET' || method === 'HEAD'
    ? { status: 200, headers: HEADERS, body: PAGE }
    : { status: 405, headers: { Allow: 'GET, HEAD', 'Cache-Control': 'no-store' }, body: '' };
}
