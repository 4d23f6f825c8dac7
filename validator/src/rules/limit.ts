import { hash } from 'node:crypto';
import type { Budget } from '@guard/config/contract/ports';
import { networkOf } from '@guard/config/net/network-of';
import type { RateLimit, Rule } from '@guard/config/settings/rule';
import type { Facts } from '../request/facts.ts';

/** A rule's rate limit, compiled: how much there is, and whose counter a request is charged to. */
export interface Limit {
  /** Names the budget in the session store. */
  readonly name: string;
  readonly budget: Budget;
  readonly subjectOf: (facts: Facts) => string;
}

/** No organisation's id holds a space, so two rules never share a budget. */
export function compileLimit(organisation: string, rule: Rule, limit: RateLimit): Limit {
  return {
    name: `${organisation} ${rule.name}`,
    budget: { requests: limit.requests, perMs: limit.per },
    subjectOf: compileSubject(limit.by.map(compilePart)),
  };
}

type Part = (facts: Facts) => string;

/** Each value the limit counts by. None holds a space, so two combinations are never one. */
function compileSubject(parts: readonly Part[]): Part {
  const [only] = parts;
  // The value itself: nothing is joined, and a session's id was hashed when the store was asked for it.
  if (only !== undefined && parts.length === 1) return only;
  return (facts) => parts.map((part) => part(facts)).join(' ');
}

function compilePart(part: RateLimit['by'][number]): Part {
  if (part === 'ip') return addressGroup;
  if (part === 'session') return sessionGroup;
  const name = part.slice('header:'.length).toLowerCase();
  return (facts) => headerGroup(name, facts);
}

/** One IPv6 visitor has a whole /64 of addresses. */
function addressGroup({ ip }: Facts): string {
  return ip.includes(':') ? networkOf(ip) : ip;
}

/**
 * Only a session that passed its challenge has a counter of its own. A new cookie is free for the
 * asking, so who dropped it, or collects them, is counted by address.
 */
function sessionGroup(facts: Facts): string {
  return facts.session.state === 'verified' ? facts.session.id : addressGroup(facts);
}

/**
 * The value is hashed: it may be a credential, and it may be long. Without the header a visitor is
 * counted by address; one counter for all of them would let anybody use it up for the rest.
 */
function headerGroup(name: string, facts: Facts): string {
  const value = facts.headers[name];
  return typeof value === 'string' && value !== ''
    ? `header:${hash('sha256', value, 'base64url')}`
    : addressGroup(facts);
}
