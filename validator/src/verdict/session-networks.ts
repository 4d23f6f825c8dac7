import { networkOf } from '@guard/config/net/network-of';
import { LRUCache } from 'lru-cache';
import type { Facts } from '../request/facts.ts';

/** Passes that are remembered at the same time. The one unused longest starts anew. */
const MAX_PASSES = 8_192;
/** Networks of one pass that are remembered: enough to decide. */
const MAX_NETWORKS = 8;
const WINDOW_MS = 10 * 60_000;

/** A phone has two networks, and a laptop that is carried about a third. */
const TOO_MANY_NETWORKS = 4;
const TOO_MANY_SYSTEMS = 3;

interface Seen {
  readonly network: string;
  /** Of its holder: the autonomous system, or where that is not known the wider network. */
  readonly system: string;
  lastAt: number;
}

/** Where the requests of each pass came from lately. A pass that comes from everywhere is shared. */
export class SessionNetworks {
  readonly #passes = new LRUCache<string, Seen[]>({ max: MAX_PASSES });

  /** Notes one request. True where its pass came from four networks of three systems within ten minutes. */
  areTooMany(pass: string, facts: Pick<Facts, 'ip' | 'asn'>, nowMs: number): boolean {
    const network = networkOf(facts.ip);
    let seen = this.#passes.get(pass);
    if (seen === undefined) this.#passes.set(pass, (seen = []));
    const known = seen.find((one) => one.network === network);
    if (known) known.lastAt = nowMs;
    else {
      if (seen.length >= MAX_NETWORKS) seen.shift();
      seen.push({ network, system: systemOf(facts), lastAt: nowMs });
    }
    if (seen.length < TOO_MANY_NETWORKS) return false;
    const recent = seen.filter(({ lastAt }) => nowMs - lastAt <= WINDOW_MS);
    const systems = new Set(recent.map(({ system }) => system));
    return recent.length >= TOO_MANY_NETWORKS && systems.size >= TOO_MANY_SYSTEMS;
  }
}

/** Without a database of autonomous systems: the /16 of an IPv4 address, the /32 of an IPv6 one. */
function systemOf(facts: Pick<Facts, 'ip' | 'asn'>): string {
  const asn = facts.asn();
  if (asn > 0) return `AS${asn}`;
  const { ip } = facts;
  return ip.split(ip.includes(':') ? ':' : '.', 2).join(' ');
}
