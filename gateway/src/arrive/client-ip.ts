import type { IncomingHttpHeaders } from 'node:http';
import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';
import { members } from '../characters.ts';
import type { Connection } from '../listen/connection.ts';
import { parseForwarded } from './forwarded.ts';

/** Who asks, and how the gateway came to know. */
export interface Client {
  /** Canonical address: parseIp of config/net/cidr. */
  readonly ip: string;
  readonly from: 'peer' | 'x-forwarded-for' | 'forwarded';
  /** Scheme the visitor used towards the outermost trusted proxy. */
  readonly scheme: 'http' | 'https';
}

export type ClientOf = (connection: Connection, headers: IncomingHttpHeaders) => Client;

/** A longer chain is no chain of proxies; entries beyond it are not read. */
const MAX_HOPS = 32;

/**
 * Finds the visitor's address. A forwarded header counts only when the peer itself is trusted, and is
 * then walked from the right: each trusted proxy vouches for the entry to its left, and the first
 * address that is not a trusted proxy is the visitor. An entry that is no address ends the walk at
 * the last one that was vouched for. X-Forwarded-For goes before Forwarded (RFC 7239): a proxy that
 * writes only one of them hardly ever writes Forwarded.
 */
export function createClientOf(trustedProxies: readonly string[]): ClientOf {
  const trusted = PrefixSet.from(trustedProxies);
  const direct = new WeakMap<Connection, Client>();

  return (connection, headers) => {
    if (connection.trusted) {
      const chain = headers['x-forwarded-for'];
      if (typeof chain === 'string') {
        const addresses = members(chain).slice(-MAX_HOPS);
        const schemes = members(text(headers['x-forwarded-proto']));
        const hop = walk(connection.peerIp, addresses, trusted);
        return { ip: hop.ip, from: 'x-forwarded-for', scheme: schemeAt(schemes, hop.distance) };
      }
      const forwarded = headers.forwarded;
      if (forwarded !== undefined) {
        const elements = parseForwarded(forwarded).slice(-MAX_HOPS);
        const addresses = elements.map((element) => element.for);
        const hop = walk(connection.peerIp, addresses, trusted);
        const schemes = elements.map((element) => element.proto);
        return { ip: hop.ip, from: 'forwarded', scheme: schemeAt(schemes, hop.distance) };
      }
      const proto = headers['x-forwarded-proto'];
      if (proto !== undefined) {
        return { ip: connection.peerIp, from: 'peer', scheme: schemeAt(members(text(proto)), 1) };
      }
    }
    const known = direct.get(connection);
    if (known !== undefined) return known;
    const scheme = connection.transport === undefined ? 'http' : 'https';
    const client: Client = { ip: connection.peerIp, from: 'peer', scheme };
    direct.set(connection, client);
    return client;
  };
}

function walk(
  peerIp: string,
  addresses: readonly string[],
  trusted: PrefixSet,
): { readonly ip: string; readonly distance: number } {
  let ip = peerIp;
  let distance = 0;
  for (let i = addresses.length - 1; i >= 0; i--) {
    const entry = parseNode(addresses[i] ?? '');
    if (entry === undefined) break;
    ip = entry;
    distance = addresses.length - i;
    if (!trusted.has(entry)) break;
  }
  return { ip, distance };
}

/** One entry of a chain: an address, which some proxies write with its port. */
function parseNode(entry: string): string | undefined {
  const node = entry.trim();
  if (node.startsWith('[')) {
    const end = node.indexOf(']');
    return end === -1 ? undefined : parseIp(node.slice(1, end));
  }
  const colon = node.indexOf(':');
  const withPort = colon !== -1 && colon === node.lastIndexOf(':');
  return parseIp(withPort ? node.slice(0, colon) : node);
}

/**
 * The scheme that was noted together with the visitor's address: the entry as far from the right. A
 * shorter list is one that the outermost proxy began and nobody added to.
 */
function schemeAt(schemes: readonly string[], distance: number): 'http' | 'https' {
  const at = schemes[Math.max(0, schemes.length - Math.max(1, distance))] ?? '';
  return at.trim().toLowerCase() === 'https' ? 'https' : 'http';
}

function text(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}
