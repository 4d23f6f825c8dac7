import { networkOf } from '@guard/config/net/network-of';
import type { RateLimit, Rule } from '@guard/config/settings/rule';
import type { Facts } from '../request/facts.ts';

/** Header values are cut here, so that a long one cannot fill the counters. */
const MAX_VALUE = 128;

/** The counter a request is charged to: organisation, rule, and each value the limit counts by. */
export function budgetKey(
  organisation: string,
  rule: Rule,
  by: RateLimit['by'],
  facts: Facts,
): string {
  const values = by.map((key) => valueOf(key, facts));
  return JSON.stringify([organisation, rule.name, ...values]);
}

function valueOf(key: RateLimit['by'][number], facts: Facts): string {
  if (key === 'ip') return addressGroup(facts.ip);
  if (key === 'session') return sessionGroup(facts);
  return (facts.headers[key.slice('header:'.length).toLowerCase()] ?? '').slice(0, MAX_VALUE);
}

/** One IPv6 visitor has a whole /64 of addresses. */
function addressGroup(ip: string): string {
  return ip.includes(':') ? networkOf(ip) : ip;
}

/** Without a session of its own a visitor counts by address: dropping the cookie must not help. */
function sessionGroup(facts: Facts): string {
  return facts.session.state === 'none' ? addressGroup(facts.ip) : facts.session.id;
}
