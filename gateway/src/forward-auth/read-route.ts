import { isPeerName, type Peer, PEERS } from './peers.ts';

/** What a request of another proxy is for, by its target. */
export type Route =
  /** `target` is the visitor's, where the peer puts it behind the prefix; else it is empty. */
  | { readonly kind: 'check'; readonly peer: Peer; readonly target: string }
  /** The answer behind a check that was denied: the proxy hands the visitor's request over. */
  | { readonly kind: 'answer' }
  /** A request that was handed over under its own path: the collector's, or one that Guard answers alone. */
  | { readonly kind: 'handed-over' };

const CHECK = '/check/';
const ANSWER = '/answer';

const HANDED_OVER: Route = { kind: 'handed-over' };

export function readRoute(url: string): Route {
  if (url === ANSWER) return { kind: 'answer' };
  if (!url.startsWith(CHECK)) return HANDED_OVER;

  let end = CHECK.length;
  while (end < url.length && url[end] !== '/' && url[end] !== '?') end++;
  const name = url.slice(CHECK.length, end);
  if (!isPeerName(name)) return HANDED_OVER;
  const peer: Peer = PEERS[name];
  const target = url.slice(end);
  // A visitor can make `/check/nginx/../../.guard/` of a path that is handed over, so no path follows a
  // name. A query does: some proxies leave the visitor's there.
  const isCheck = peer.describes === 'in-place' || target === '' || target.startsWith('?');
  return isCheck ? { kind: 'check', peer, target } : HANDED_OVER;
}
