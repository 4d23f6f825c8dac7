import { hash } from 'node:crypto';
import type { Budget, Charge, MaybePromise, SessionStore } from '@guard/config/contract/ports';
import { sessionRoot } from '@guard/config/contract/session-root';
import type { RateLimit, Rule } from '@guard/config/settings/sections/rule';
import type { Facts } from '../request/facts.ts';
import { compileAddressCharges } from './address-charges.ts';

/**
 * A compiled rate limit. It counts a request in all of its counters, or in none. It returns 0 when the request fits all
 * budgets, and otherwise the milliseconds until the request fits.
 */
export type Limit = (facts: Facts, store: SessionStore) => MaybePromise<number>;

/**
 * Compiles a rate limit. The counter's name is the organisation's id, a space and the rule's name. An id contains no
 * space, so two rules never share a counter.
 */
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
    // Count the address only once, even when several parts of `by` fall back to it.
    if (isByAddress) charges.push(...addressCharges(facts.ip));
    return charges;
  }

  const [onlySubject] = subjects;
  if (onlySubject === undefined || subjects.length > 1) {
    return (facts, store) => store.takeAll(name, chargesOf(facts));
  }
  return (facts, store) => {
    // Most rules have only one counter, so this code creates no list for it.
    const subject = onlySubject(facts) ?? (facts.ip.includes(':') ? undefined : facts.ip);
    return subject === undefined
      ? store.takeAll(name, chargesOf(facts))
      : store.take(name, subject, budget);
  };
}

/**
 * Returns a function that finds the subject of a counter. It returns undefined when the request is counted by address.
 */
function compileSubject(part: string): (facts: Facts) => string | undefined {
  if (part === 'ip') return () => undefined;
  if (part === 'all') return () => 'all';
  if (part === 'session') return sessionOf;
  const name = part.slice('header:'.length);
  return (facts) => headerOf(name, facts);
}

/**
 * Only a session that passed its challenge has its own counter. Any visitor can get a new cookie, so other sessions are
 * counted by address.
 */
function sessionOf({ session }: Facts): string | undefined {
  return session.state === 'verified' ? sessionRoot(session.id) : undefined;
}

/**
 * The value is hashed, because it can be long and can be a credential. A visitor without the header is counted by
 * address: with one common counter, one visitor could use up the budget of all others.
 */
function headerOf(name: string, { headers }: Facts): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== ''
    ? `header:${name}:${hash('sha256', value, 'base64url')}`
    : undefined;
}
