import { hash } from 'node:crypto';
import type { Budget, Charge, MaybePromise, SessionStore } from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import type { RateLimit, Rule } from '@guard/config/settings/sections/rule';
import type { Facts } from '../request/facts.ts';
import { compileAddressCharges } from './address-charges.ts';

/**
 * A rule's rate limit, compiled. Takes a request from each counter that it is charged to, or from none: 0
 * when it fits, else milliseconds until it does.
 */
export type Limit = (facts: Facts, store: SessionStore) => MaybePromise<number>;

/** No organisation's id holds a space, so two rules never share a budget. */
export function compileLimit(organisation: string, rule: Rule, limit: RateLimit): Limit {
  const name = `${organisation} ${rule.name}`;
  const budget: Budget = { requests: limit.requests, perMs: limit.per };
  const subjects = [...new Set(limit.by.map((part) => part.toLowerCase()))].map(compileSubject);
  const addressCharges = compileAddressCharges(budget);

  function chargesOf(facts: Facts): readonly Charge[] {
    const charges: Charge[] = [];
    let isByAddress = false;
    for (const subjectOf of subjects) {
      const subject = subjectOf(facts);
      if (subject === undefined) isByAddress = true;
      else charges.push({ subject, budget });
    }
    // Once, however many of them fall back to it.
    if (isByAddress) charges.push(...addressCharges(facts.ip));
    return charges;
  }

  const [only] = subjects;
  if (only === undefined || subjects.length > 1) {
    return (facts, store) => store.takeAll(name, chargesOf(facts));
  }
  return (facts, store) => {
    // Most requests have one counter, and make no list of it.
    const subject = only(facts) ?? (isIpv6(facts) ? undefined : facts.ip);
    return subject === undefined
      ? store.takeAll(name, chargesOf(facts))
      : store.take(name, subject, budget);
  };
}

function isIpv6({ ip }: Facts): boolean {
  return ip.includes(':');
}

/** Undefined where the address counts. */
type Subject = (facts: Facts) => string | undefined;

function compileSubject(part: string): Subject {
  if (part === 'ip') return () => undefined;
  if (part === 'all') return () => 'all';
  if (part === 'session') return sessionOf;
  const name = part.slice('header:'.length);
  return (facts) => headerOf(name, facts);
}

/**
 * Only a session that passed its challenge has a counter of its own. A new cookie is free for the
 * asking, so who dropped it, or collects them, is counted by address.
 */
function sessionOf({ session }: Facts): string | undefined {
  return session.state === 'verified' ? sessionRoot(session.id) : undefined;
}

/**
 * The value is hashed: it may be a credential, and it may be long. Without the header a visitor is
 * counted by address; one counter for all of them would let one visitor use it up for the rest.
 */
function headerOf(name: string, { headers }: Facts): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== ''
    ? `header:${name}:${hash('sha256', value, 'base64url')}`
    : undefined;
}
