/** A kind of proxy that asks about the requests of its visitors. */
export interface Peer {
  /**
   * Where the proxy describes the request. Only this place is read: a visitor could have written every header that
   * this proxy does not overwrite.
   *
   * `x-original`: X-Original-URL and X-Original-Method.
   * `x-forwarded`: X-Forwarded-Method, -Proto, -Host and -Uri.
   * `in-place`: the question has the method, the Host and, after the prefix, the target of the request.
   */
  readonly describes: 'x-original' | 'x-forwarded' | 'in-place';
  /** The status that lets the request pass. */
  readonly passStatus: 200 | 204;
  readonly denial: Denial;
}

/** How a visitor gets the answer to a request that does not pass. */
type Denial =
  /** The proxy cannot show the page of a denied check. It gets 403, and asks `/answer` for the page. */
  | { readonly kind: 'fetched' }
  /** The proxy shows the answer as it is. A status that would let the request pass becomes 403. */
  | { readonly kind: 'shown'; readonly mistakesForPass: (status: number) => boolean };

const isSuccess = (status: number) => status < 300;

export const PEERS = {
  nginx: { describes: 'x-original', passStatus: 204, denial: { kind: 'fetched' } },
  haproxy: { describes: 'x-original', passStatus: 204, denial: { kind: 'fetched' } },
  caddy: {
    describes: 'x-forwarded',
    passStatus: 204,
    denial: { kind: 'shown', mistakesForPass: isSuccess },
  },
  traefik: {
    describes: 'x-forwarded',
    passStatus: 204,
    denial: { kind: 'shown', mistakesForPass: isSuccess },
  },
  envoy: {
    describes: 'in-place',
    passStatus: 200,
    // Envoy treats a 5xx as a failed question. With failure_mode_allow it would let the request pass.
    denial: { kind: 'shown', mistakesForPass: (status) => isSuccess(status) || status >= 500 },
  },
} as const satisfies Record<string, Peer>;

type PeerName = keyof typeof PEERS;

function isPeerName(name: string): name is PeerName {
  return Object.hasOwn(PEERS, name);
}

/** The purpose of a request from another proxy. The target of the request shows the purpose. */
type Route =
  /**
   * `target` is the text after the prefix. A peer that describes requests `in-place` writes the visitor's target there.
   */
  | { readonly kind: 'check'; readonly peer: Peer; readonly target: string }
  /** The proxy asks for the answer of a denied check, with the visitor's request. */
  | { readonly kind: 'answer' }
  /** A visitor's request with its own path. Guard answers it itself. An example is an upload for the collector. */
  | { readonly kind: 'handed-over' };

const CHECK_PREFIX = '/check/';
const ANSWER_TARGET = '/answer';

const HANDED_OVER: Route = { kind: 'handed-over' };

export function readRoute(url: string): Route {
  if (url === ANSWER_TARGET) return { kind: 'answer' };
  if (!url.startsWith(CHECK_PREFIX)) return HANDED_OVER;

  let end = CHECK_PREFIX.length;
  while (end < url.length && url[end] !== '/' && url[end] !== '?') end++;
  const name = url.slice(CHECK_PREFIX.length, end);
  if (!isPeerName(name)) return HANDED_OVER;
  const peer: Peer = PEERS[name];
  const target = url.slice(end);
  // No path may follow the name, because a visitor can cause `/check/nginx/../../.guard/`. A query may follow: some
  // proxies append the visitor's query.
  const isCheck = peer.describes === 'in-place' || target === '' || target.startsWith('?');
  return isCheck ? { kind: 'check', peer, target } : HANDED_OVER;
}
