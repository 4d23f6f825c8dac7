import { hash } from 'node:crypto';
import { networkOf } from '@guard/config/net/network-of';
import type { RateLimit, Rule } from '@guard/config/settings/rule';
import type { Facts } from '../request/facts.ts';

/**
 * The counter a request is charged to: organisation, rule, and each value the limit counts by. No
 * value holds a space, so the name of the rule, which may, comes last and two counters never meet.
 */
export function budgetKey(
  organisation: string,
  rule: Rule,
  by: RateLimit['by'],
  facts: Facts,
): string {
  let key = organisation;
  for (const part of by) key += ` ${valueOf(part, facts)}`;
  return `${key} ${rule.name}`;
}

function valueOf(part: RateLimit['by'][number], facts: Facts): string {
  if (part === 'ip') return addressGroup(facts.ip);
  if (part === 'session') return sessionGroup(facts);
  return headerGroup(part.slice('header:'.length).toLowerCase(), facts);
}

/** One IPv6 visitor has a whole /64 of addresses. */
function addressGroup(ip: string): string {
  return ip.includes(':') ? networkOf(ip) : ip;
}

/**
 * Only a session that passed its challenge has a counter of its own. A new cookie is free for the
 * asking, so who dropped it, or collects them, is counted by address.
 */
function sessionGroup({ session, ip }: Facts): string {
  return session.state === 'verified' ? `session:${session.id}` : addressGroup(ip);
}

/**
 * The value is hashed: it may be a credential, and it may be long. Without the header a visitor is
 * counted by address; one counter for all of them would let anybody use it up for the rest.
 */
function headerGroup(name: string, { headers, ip }: Facts): string {
  const value = headers[name];
  return typeof value === 'string' && value !== ''
    ? `header:${hash('sha256', value, 'base64url')}`
    : addressGroup(ip);
}
