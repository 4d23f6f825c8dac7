import { num, texts } from '@guard/config/plain-words/cells';
import {
  eventsOfReference,
  eventsOfVisitor,
  addressCondition,
  sessionCondition,
  oneEvent,
  visitorInAll,
} from '@guard/config/plain-words/find-events';
import { type WholeEvent, wholeEvent } from '@guard/config/plain-words/whole-event';
import { z } from 'zod';
import { type EventRows, type EventsAccess, queryEvents } from '../running-guard/query-events.ts';
import type { SearchSubject } from './asked.ts';

/** The time limit for one statement. For an address with many requests, a statement reads all of them. */
const TIMEOUT_MS = 30_000;
const MAX_EVENTS = 5;

export interface VisitorSummary {
  readonly requests: number;
  /** The number of requests for each enforced decision. */
  readonly actions: Readonly<Record<'allow' | 'challenge' | 'block' | 'limited', number>>;
  readonly firstMs: number;
  readonly lastMs: number;
  /** The reasons, the most frequent one first. */
  readonly reasons: readonly { readonly name: string; readonly requests: number }[];
}

export type LookUpResult =
  | {
      readonly kind: 'found';
      /** The events, the newest one first. There is at least one. */
      readonly events: readonly [WholeEvent, ...WholeEvent[]];
      /** A summary of all events of the visitor. Undefined when the subject is a single request. */
      readonly inAll: VisitorSummary | undefined;
    }
  | { readonly kind: 'none' }
  /** Why the events cannot be read, as a phrase. */
  | { readonly kind: 'refused'; readonly why: string };

/** Finds the events of a code, request, session or address. Never rejects. */
export async function lookUp(access: EventsAccess, subject: SearchSubject): Promise<LookUpResult> {
  const now = Date.now();
  const visitor = visitorOf(subject);
  const [newest, summary] = await Promise.all([
    queryRows(access, statementOf(subject, visitor, now)),
    visitor === undefined ? undefined : queryRows(access, visitorInAll(visitor, now)),
  ]);
  if (newest.kind === 'refused') return newest;
  if (summary?.kind === 'refused') return summary;
  const [first, ...others] = newest.rows.map((row) => wholeEvent((column) => row[column]));
  if (first === undefined) return { kind: 'none' };
  return {
    kind: 'found',
    events: [first, ...others],
    inAll: summary && summaryOf(summary.rows[0] ?? {}),
  };
}

type Row = Readonly<Record<string, unknown>>;

function queryRows(access: EventsAccess, sql: string): Promise<EventRows<Row>> {
  return queryEvents(access, sql, z.record(z.string(), z.unknown()), TIMEOUT_MS);
}

function visitorOf({ kind, value }: SearchSubject): string | undefined {
  switch (kind) {
    case 'address':
      return addressCondition(value);
    case 'session':
      return sessionCondition(value);
    case 'reference':
    case 'request':
      return undefined;
  }
}

function statementOf(
  { kind, value }: SearchSubject,
  visitor: string | undefined,
  now: number,
): string {
  if (visitor !== undefined) return eventsOfVisitor(visitor, now, MAX_EVENTS);
  return kind === 'request' ? oneEvent(value, now) : eventsOfReference(value, now);
}

function summaryOf(row: Row): VisitorSummary {
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
