/** A proxy that asks about its visitors' requests, and how it is spoken with. */
export interface Peer {
  /**
   * Where it says which request it asks about. One place only: a header that this proxy does not
   * overwrite is the visitor's own, and must not say anything.
   *
   * `x-original`: X-Original-URL and X-Original-Method.
   * `x-forwarded`: X-Forwarded-Method, -Proto, -Host and -Uri.
   * `in-place`: the question has the method, the Host and, behind the prefix, the target of the request.
   */
  readonly describes: 'x-original' | 'x-forwarded' | 'in-place';
  /** The one status by which the request goes on. */
  readonly passStatus: 200 | 204;
  readonly denial: Denial;
}

/** What becomes of an answer for the visitor when the request is not to pass. */
type Denial =
  /**
   * The proxy can carry no page with its question, so it gets a 403 and hands the visitor's request
   * over, to `/answer`.
   */
  | { readonly kind: 'fetched' }
  /** It goes out as it is; except with a status that lets the request pass. */
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
    // A 5xx is a failed question to it, which failure_mode_allow opens for.
    denial: { kind: 'shown', mistakesForPass: (status) => isSuccess(status) || status >= 500 },
  },
} as const satisfies Record<string, Peer>;

type PeerName = keyof typeof PEERS;

function isPeerName(name: string): name is PeerName {
  return Object.hasOwn(PEERS, name);
}

/** What a request of another proxy is for, by its target. */
type Route =
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
