import { num, texts } from '@guard/config/plain-words/cells';
import {
  byReference,
  byVisitor,
  ofAddress,
  ofSession,
  oneEvent,
  visitorInAll,
} from '@guard/config/plain-words/find-events';
import { type WholeEvent, wholeEvent } from '@guard/config/plain-words/whole-event';
import { z } from 'zod';
import { type EventRows, type EventsAccess, queryEvents } from '../running-guard/query-events.ts';
import type { AskedAbout } from './asked.ts';

/** For one statement. For an address with many requests it reads all of them. */
const TIMEOUT_MS = 30_000;
/** Most events of a visitor that are shown. */
const NEWEST = 5;

/** A summary of all stored events of an address or a session. */
export interface InAll {
  readonly requests: number;
  /** Counts by enforced decision. */
  readonly actions: Readonly<Record<'allow' | 'challenge' | 'block' | 'limited', number>>;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Most frequent first. */
  readonly reasons: readonly { readonly name: string; readonly requests: number }[];
}

export type LookedUp =
  | {
      readonly kind: 'found';
      /** At least one. The newest comes first. */
      readonly events: readonly [WholeEvent, ...WholeEvent[]];
      /** Undefined when the subject is a single request. */
      readonly inAll: InAll | undefined;
    }
  | { readonly kind: 'none' }
  /** Why the events cannot be read, as a phrase. */
  | { readonly kind: 'refused'; readonly why: string };

/** Finds the events of a code, request, session or address. Never rejects. */
export async function lookUp(access: EventsAccess, asked: AskedAbout): Promise<LookedUp> {
  const now = Date.now();
  const visitor = visitorOf(asked);
  const [found, all] = await Promise.all([
    rowsOf(access, statementOf(asked, visitor, now)),
    visitor === undefined ? undefined : rowsOf(access, visitorInAll(visitor, now)),
  ]);
  if (found.kind === 'refused') return found;
  if (all?.kind === 'refused') return all;
  const [first, ...others] = found.rows.map((row) => wholeEvent((column) => row[column]));
  if (first === undefined) return { kind: 'none' };
  return { kind: 'found', events: [first, ...others], inAll: all && inAllOf(all.rows[0] ?? {}) };
}

type Row = Readonly<Record<string, unknown>>;

function rowsOf(access: EventsAccess, sql: string): Promise<EventRows<Row>> {
  return queryEvents(access, sql, z.record(z.string(), z.unknown()), TIMEOUT_MS);
}

function visitorOf({ kind, value }: AskedAbout): string | undefined {
  switch (kind) {
    case 'address':
      return ofAddress(value);
    case 'session':
      return ofSession(value);
    case 'reference':
    case 'request':
      return undefined;
  }
}

function statementOf(
  { kind, value }: AskedAbout,
  visitor: string | undefined,
  now: number,
): string {
  if (visitor !== undefined) return byVisitor(visitor, now, NEWEST);
  return kind === 'request' ? oneEvent(value, now) : byReference(value, now);
}

function inAllOf(row: Row): InAll {
  const [names, counts] = Array.isArray(row['reasons']) ? (row['reasons'] as unknown[]) : [];
  const requests = texts(counts).map(num);
  return {
    requests: num(row['requests']),
    actions: {
      allow: num(row['allowed']),
      challenge: num(row['challenged']),
      block: num(row['blocked']),
      limited: num(row['limited']),
    },
    firstMs: num(row['first_ms']),
    lastMs: num(row['last_ms']),
    reasons: texts(names)
      .map((name, at) => ({ name, requests: requests[at] ?? 0 }))
      .sort((a, b) => b.requests - a.requests || a.name.localeCompare(b.name)),
  };
}
