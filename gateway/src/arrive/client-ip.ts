import type { IncomingHttpHeaders } from 'node:http';
import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';
import type { ForwardedHeader } from '@guard/config/settings/schema';
import { LRUCache } from 'lru-cache';
import { members } from '../base/characters.ts';
import type { Connection } from '../listen/connection.ts';
import type { BelievedFields } from '../message/message.ts';
import { parseForwarded } from './forwarded.ts';

/** The visitor's address, and where the gateway read it. */
export interface Client {
  /** Canonical address: parseIp of config/net/cidr. */
  readonly ip: string;
  readonly from: 'peer' | ForwardedHeader;
  /** Scheme the visitor used towards the outermost trusted proxy. */
  readonly scheme: 'http' | 'https';
  readonly believedFields: BelievedFields;
}

export type ClientOf = (connection: Connection, headers: IncomingHttpHeaders) => Client;

/** Only this many entries are read. No real chain of proxies is longer. */
const MAX_HOPS = 32;

/** At this many counted requests both counts are halved, so that old requests count less. */
const MAX_COUNTED_REQUESTS = 1_024;
/** Trusted peers that are remembered. When there are more, the peer with the oldest last request is forgotten. */
const MAX_PEERS = 1_024;
/**
 * One in this many requests may lack the usual header. Examples are a health check, and a test on the proxy's machine.
 */
const RARE_ONE_IN = 20;

/** The entries of X-Forwarded-For or of Forwarded. The peer wrote the last entry. */
interface Chain {
  readonly header: ForwardedHeader;
  readonly nodes: readonly string[];
  readonly schemes: readonly string[];
}

/**
 * Finds the visitor's address. A forwarded header is used only when the peer itself is trusted. It is read from the
 * right: each trusted proxy vouches for the entry to its left. The first address that is not a trusted proxy is the
 * visitor. At an entry that is not an address the reading ends, and the visitor is the last address for which a trusted
 * proxy vouched.
 *
 * `writes` is the header that the trusted proxies write. The other header comes from the visitor, so it is not read.
 * When `writes` is undefined, both headers are read. When they name different visitors, Guard uses the header that came
 * alone in earlier requests: a visitor can add a header, but cannot remove the one that a proxy writes into every
 * request. When neither header has come alone, or both have, Guard uses only the entries on which both agree, and
 * `onUndecided` is called.
 */
export function createClientOf(
  trustedProxies: readonly string[],
  writes: ForwardedHeader | undefined,
  onUndecided: (peerIp: string) => void,
): ClientOf {
  const trusted = PrefixSet.from(trustedProxies);
  /** One entry for each peer that wrote a header, because the proxies of one site may write different headers. */
  const counts = new LRUCache<string, HeaderCounts>({ max: MAX_PEERS });

  function countsOf({ peerIp }: Connection): HeaderCounts {
    const peerCounts = counts.get(peerIp);
    if (peerCounts !== undefined) return peerCounts;
    const newCounts = new HeaderCounts();
    counts.set(peerIp, newCounts);
    return newCounts;
  }

  function clientByChain(
    { peerIp }: Connection,
    chain: Chain,
    believedFields: BelievedFields,
  ): Client {
    const { ip = peerIp, distance } = walk(chain.nodes, trusted);
    return {
      ip,
      from: chain.header,
      scheme: schemeAt(chain.schemes, distance),
      believedFields,
    };
  }

  function clientByBothChains(connection: Connection, xForwarded: Chain, forwarded: Chain): Client {
    const usualHeader = countsOf(connection).usualHeader();
    const visitorIp = walk(xForwarded.nodes, trusted).ip;
    const isSame = visitorIp !== undefined && visitorIp === walk(forwarded.nodes, trusted).ip;
    if (usualHeader !== undefined) {
      const chain = usualHeader === xForwarded.header ? xForwarded : forwarded;
      // The visitor wrote the other header, even when it names the same address.
      return clientByChain(connection, chain, usualHeader);
    }
    if (isSame) return clientByChain(connection, xForwarded, 'both');
    onUndecided(connection.peerIp);
    const { ip = connection.peerIp, distance } = walk(
      commonEnd(xForwarded.nodes, forwarded.nodes),
      trusted,
    );
    const isHttps = [xForwarded, forwarded].every(
      ({ schemes }) => schemeAt(schemes, distance) === 'https',
    );
    return { ip, from: 'peer', scheme: isHttps ? 'https' : 'http', believedFields: 'neither' };
  }

  function clientByPeer(connection: Connection): Client {
    const scheme = connection.transport === undefined ? 'http' : 'https';
    const believedFields = connection.trusted ? (writes ?? 'both') : 'neither';
    return { ip: connection.peerIp, from: 'peer', scheme, believedFields };
  }

  return (connection, headers) => {
    if (!connection.trusted) return clientByPeer(connection);
    const xForwardedChain = writes === 'forwarded' ? undefined : readChain(headers);
    const forwardedChain = writes === 'x-forwarded-for' ? undefined : readForwarded(headers);
    if (xForwardedChain !== undefined && forwardedChain !== undefined)
      return clientByBothChains(connection, xForwardedChain, forwardedChain);
    const chain = xForwardedChain ?? forwardedChain;
    if (chain !== undefined) {
      countsOf(connection).note(chain.header);
      return clientByChain(connection, chain, writes ?? 'both');
    }
    const proto = writes === 'forwarded' ? undefined : headers['x-forwarded-proto'];
    if (proto === undefined) return clientByPeer(connection);
    return { ...clientByPeer(connection), scheme: schemeAt(members(joinValues(proto)), 1) };
  };
}

/**
 * Counts how often each forwarded header came without the other. It covers about the last thousand requests that had
 * only one of them.
 */
class HeaderCounts {
  #xForwardedCount = 0;
  #forwardedCount = 0;

  note(header: ForwardedHeader): void {
    if (header === 'forwarded') this.#forwardedCount++;
    else this.#xForwardedCount++;
    if (this.#xForwardedCount + this.#forwardedCount < MAX_COUNTED_REQUESTS) return;
    this.#xForwardedCount /= 2;
    this.#forwardedCount /= 2;
  }

  /** The header that nearly all of these requests had. Undefined when there is no such header. */
  usualHeader(): ForwardedHeader | undefined {
    if (this.#xForwardedCount > RARE_ONE_IN * this.#forwardedCount) return 'x-forwarded-for';
    return this.#forwardedCount > RARE_ONE_IN * this.#xForwardedCount ? 'forwarded' : undefined;
  }
}

function readChain(headers: IncomingHttpHeaders): Chain | undefined {
  const chain = headers['x-forwarded-for'];
  if (typeof chain !== 'string') return undefined;
  const schemes = members(joinValues(headers['x-forwarded-proto']));
  return { header: 'x-forwarded-for', nodes: members(chain).slice(-MAX_HOPS), schemes };
}

function readForwarded({ forwarded }: IncomingHttpHeaders): Chain | undefined {
  if (forwarded === undefined) return undefined;
  const elements = parseForwarded(forwarded, MAX_HOPS);
  return {
    header: 'forwarded',
    nodes: elements.map((element) => element.for),
    schemes: elements.map((element) => element.proto),
  };
}

/**
 * Reads entries from the right as long as they are trusted proxies. `ip` is undefined when the last entry is not an
 * address.
 */
function walk(
  nodes: readonly string[],
  trusted: PrefixSet,
): { readonly ip: string | undefined; readonly distance: number } {
  let ip: string | undefined;
  let distance = 0;
  for (let i = nodes.length - 1; i >= 0; i--) {
    const address = parseNode(nodes[i] ?? '');
    if (address === undefined) break;
    ip = address;
    distance = nodes.length - i;
    if (!trusted.has(address)) break;
  }
  return { ip, distance };
}

/** The longest sequence of entries at the end of both lists. */
function commonEnd(one: readonly string[], other: readonly string[]): readonly string[] {
  let count = 0;
  while (count < Math.min(one.length, other.length)) {
    const address = parseNode(one.at(-1 - count) ?? '');
    if (address === undefined || address !== parseNode(other.at(-1 - count) ?? '')) break;
    count++;
  }
  return count === 0 ? [] : one.slice(-count);
}

/** An address. Some proxies add a port to it. An IPv6 address with a port has brackets (RFC 7239 section 6). */
const NODE = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

function parseNode(entry: string): string | undefined {
  const node = entry.trim();
  const [, inBrackets, bare = node] = NODE.exec(node) ?? [];
  return parseIp(inBrackets ?? bare);
}

/**
 * The scheme of the entry with the visitor's address. In its list it is as far from the right end as the address is in
 * the other list. When the list of schemes is shorter, only the outermost proxy wrote a scheme, and the scheme is the
 * first entry.
 */
function schemeAt(schemes: readonly string[], distance: number): 'http' | 'https' {
  const scheme = schemes[Math.max(0, schemes.length - Math.max(1, distance))] ?? '';
  return scheme.trim().toLowerCase() === 'https' ? 'https' : 'http';
}

function joinValues(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}
