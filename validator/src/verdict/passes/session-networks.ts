import { networkOf } from '@guard/config/net/network-of';
import type { Facts } from '../../request/facts.ts';
import type { SeenNetwork } from './pass-table.ts';

/** Maximum number of networks in memory for each pass. */
const MAX_NETWORKS = 8;
const WINDOW_MS = 10 * 60_000;

/** A phone usually uses two networks. A laptop that moves uses perhaps three. */
const TOO_MANY_NETWORKS = 4;
const TOO_MANY_SYSTEMS = 3;

/**
 * Records the network of one request with a pass. True when the pass came from four networks of three autonomous
 * systems within ten minutes. Then several clients share the pass.
 */
export function isFromTooManyNetworks(
  networks: SeenNetwork[],
  facts: Pick<Facts, 'ip' | 'asn'>,
  nowMs: number,
): boolean {
  const network = networkOf(facts.ip);
  const knownNetwork = networks.find((earlier) => earlier.network === network);
  if (knownNetwork) knownNetwork.lastAt = nowMs;
  else {
    if (networks.length >= MAX_NETWORKS) networks.shift();
    networks.push({ network, system: systemOf(facts), lastAt: nowMs });
  }
  if (networks.length < TOO_MANY_NETWORKS) return false;
  const recent = networks.filter(({ lastAt }) => nowMs - lastAt <= WINDOW_MS);
  const systems = new Set(recent.map(({ system }) => system));
  return recent.length >= TOO_MANY_NETWORKS && systems.size >= TOO_MANY_SYSTEMS;
}

/** The autonomous system of an address. When it is unknown, the /16 (IPv4) or /32 (IPv6) of the address. */
function systemOf(facts: Pick<Facts, 'ip' | 'asn'>): string {
  const asn = facts.asn();
  if (asn > 0) return `AS${asn}`;
  const { ip } = facts;
  return ip.split(ip.includes(':') ? ':' : '.', 2).join(' ');
}
