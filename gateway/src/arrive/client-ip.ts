import type { IncomingHttpHeaders } from 'node:http';
import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';
import type { ForwardedHeader } from '@guard/config/settings/schema';
import { LRUCache } from 'lru-cache';
import { members } from '../base/characters.ts';
import type { Connection } from '../listen/connection.ts';
import type { BelievedFields } from '../message/message.ts';
import { parseForwarded } from './forwarded.ts';

/** Who asks, and how the gateway came to know. */
export interface Client {
  /** Canonical address: parseIp of config/net/cidr. */
  readonly ip: string;
  readonly from: 'peer' | ForwardedHeader;
  /** Scheme the visitor used towards the outermost trusted proxy. */
  readonly scheme: 'http' | 'https';
  readonly believed: BelievedFields;
}

export type ClientOf = (connection: Connection, headers: IncomingHttpHeaders) => Client;

/** A longer chain is no chain of proxies; entries beyond it are not read. */
const MAX_HOPS = 32;

const REMEMBERED_ALONE = 1_024;
/** Trusted peers that are remembered at once. Beyond it the one that asked longest ago is forgotten, and learned anew. */
const MAX_PEERS = 1_024;
/** One in this many may be a health check, or a person who tries something on the proxy's own machine. */
const FEW = 20;

/** One of the two headers, taken apart; the last entry is the one that the peer wrote. */
interface Chain {
  readonly header: ForwardedHeader;
  readonly nodes: readonly string[];
  readonly schemes: readonly string[];
}

/**
 * Finds the visitor's address. A forwarded header counts only when the peer itself is trusted, and is
 * then walked from the right: each trusted proxy vouches for the entry to its left, and the first
 * address that is not a trusted proxy is the visitor. An entry that is no address ends the walk at
 * the last one that was vouched for.
 *
 * `writes` is the header that the trusted proxies write; the other one is the visitor's own then.
 * Undefined: both are read. Where they name different visitors, the one counts that came alone before:
 * a visitor can add a header, and cannot take away the one that a proxy writes into every request. While
 * neither has come alone, or both have, no more counts than both agree on, and `onUndecided` hears.
 */
export function createClientOf(
  trustedProxies: readonly string[],
  writes: ForwardedHeader | undefined,
  onUndecided: (peerIp: string) => void,
): ClientOf {
  const trusted = PrefixSet.from(trustedProxies);
  const direct = new WeakMap<Connection, Client>();
  /** By the peer that wrote the header: proxies of one site may differ. */
  const alone = new LRUCache<string, Alone>({ max: MAX_PEERS });

  function aloneOf({ peerIp }: Connection): Alone {
    const known = alone.get(peerIp);
    if (known !== undefined) return known;
    const made = new Alone();
    alone.set(peerIp, made);
    return made;
  }

  function byChain({ peerIp }: Connection, chain: Chain, believed: BelievedFields): Client {
    const { ip = peerIp, distance } = walk(chain.nodes, trusted);
    return { ip, from: chain.header, scheme: schemeAt(chain.schemes, distance), believed };
  }

  function byBoth(connection: Connection, one: Chain, other: Chain): Client {
    const decided = aloneOf(connection).decides();
    const found = walk(one.nodes, trusted).ip;
    const isSame = found !== undefined && found === walk(other.nodes, trusted).ip;
    if (decided !== undefined) {
      const chain = decided === one.header ? one : other;
      // The other header is the visitor's own, also where it names the same address.
      return byChain(connection, chain, decided);
    }
    if (isSame) return byChain(connection, one, 'both');
    onUndecided(connection.peerIp);
    const { ip = connection.peerIp, distance } = walk(agreed(one.nodes, other.nodes), trusted);
    const isHttps = [one, other].every(({ schemes }) => schemeAt(schemes, distance) === 'https');
    return { ip, from: 'peer', scheme: isHttps ? 'https' : 'http', believed: 'neither' };
  }

  function bySelf(connection: Connection): Client {
    const known = direct.get(connection);
    if (known !== undefined) return known;
    const scheme = connection.transport === undefined ? 'http' : 'https';
    const believed = connection.trusted ? (writes ?? 'both') : 'neither';
    const client: Client = { ip: connection.peerIp, from: 'peer', scheme, believed };
    direct.set(connection, client);
    return client;
  }

  return (connection, headers) => {
    if (!connection.trusted) return bySelf(connection);
    const one = writes === 'forwarded' ? undefined : readChain(headers);
    const other = writes === 'x-forwarded-for' ? undefined : readForwarded(headers);
    if (one !== undefined && other !== undefined) return byBoth(connection, one, other);
    const chain = one ?? other;
    if (chain !== undefined) {
      aloneOf(connection).note(chain.header);
      return byChain(connection, chain, writes ?? 'both');
    }
    const proto = writes === 'forwarded' ? undefined : headers['x-forwarded-proto'];
    if (proto === undefined) return bySelf(connection);
    return { ...bySelf(connection), scheme: schemeAt(members(text(proto)), 1) };
  };
}

/** Counts of the two headers, over about the last thousand requests that had one of them. */
class Alone {
  #x = 0;
  #forwarded = 0;

  note(header: ForwardedHeader): void {
    if (header === 'forwarded') this.#forwarded++;
    else this.#x++;
    if (this.#x + this.#forwarded < REMEMBERED_ALONE) return;
    this.#x /= 2;
    this.#forwarded /= 2;
  }

  /** The one that nearly always came; undefined where both did, or neither. */
  decides(): ForwardedHeader | undefined {
    if (this.#x > FEW * this.#forwarded) return 'x-forwarded-for';
    return this.#forwarded > FEW * this.#x ? 'forwarded' : undefined;
  }
}

function readChain(headers: IncomingHttpHeaders): Chain | undefined {
  const chain = headers['x-forwarded-for'];
  if (typeof chain !== 'string') return undefined;
  const schemes = members(text(headers['x-forwarded-proto']));
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

/** How far the walk from the right gets; no address where not even the last entry is one. */
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

/** The entries on the right that both have. */
function agreed(one: readonly string[], other: readonly string[]): readonly string[] {
  let count = 0;
  while (count < Math.min(one.length, other.length)) {
    const address = parseNode(one.at(-1 - count) ?? '');
    if (address === undefined || address !== parseNode(other.at(-1 - count) ?? '')) break;
    count++;
  }
  return count === 0 ? [] : one.slice(-count);
}

/** An address, in brackets where a port is to stand behind one of IPv6 (RFC 7239 section 6). */
const NODE = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/** One entry of a chain: an address, which some proxies write with its port. */
function parseNode(entry: string): string | undefined {
  const node = entry.trim();
  const [, inBrackets, bare = node] = NODE.exec(node) ?? [];
  return parseIp(inBrackets ?? bare);
}

/**
 * The scheme that was noted together with the visitor's address: the entry as far from the right. A
 * shorter list was begun by the outermost proxy, and no other proxy added to it.
 */
function schemeAt(schemes: readonly string[], distance: number): 'http' | 'https' {
  const at = schemes[Math.max(0, schemes.length - Math.max(1, distance))] ?? '';
  return at.trim().toLowerCase() === 'https' ? 'https' : 'http';
}

function text(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}
