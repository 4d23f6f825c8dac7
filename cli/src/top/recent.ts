import { z } from 'zod';
import { type EventsAccess, queryEvents } from '../running-guard/query-events.ts';

export const RECENT_S = 60;
/** The number of entries of each list. It is larger than the number of lines of a terminal. */
const LIST_LENGTH = 50;
/** The longest name that is shown. Reasons, addresses and hosts are shorter. */
const MAX_NAME = 100;

const Row = z.object({
  kind: z.enum(['reason', 'address', 'site', 'latency']),
  name: z.string(),
  // A quantile of no rows is NaN, which is null in JSON.
  amount: z.number().nullable(),
});

export interface CountedName {
  readonly name: string;
  readonly count: number;
}

export type Recent =
  | {
      readonly kind: 'counted';
      readonly reasons: readonly CountedName[];
      readonly addresses: readonly CountedName[];
      readonly sites: readonly CountedName[];
      /** The median duration of decisions, in milliseconds. Undefined when there were no decisions. */
      readonly p50Ms: number | undefined;
      readonly p99Ms: number | undefined;
    }
  | { readonly kind: 'unknown'; readonly why: string };

export async function readRecent(
  access: EventsAccess | { readonly missing: string },
  timeoutMs: number,
): Promise<Recent> {
  if ('missing' in access) return { kind: 'unknown', why: access.missing };
  const answer = await queryEvents(access, STATEMENT, Row, timeoutMs);
  if (answer.kind === 'refused') return { kind: 'unknown', why: answer.why };
  const entriesOf = (kind: z.infer<typeof Row>['kind']): CountedName[] =>
    answer.rows
      .filter((row) => row.kind === kind)
      .map(({ name, amount }) => ({ name: toAscii(name), count: amount ?? 0 }));
  const latencyMs = (name: string) => {
    const row = answer.rows.find(
      (candidate) => candidate.kind === 'latency' && candidate.name === name,
    );
    const amountUs = row?.amount ?? undefined;
    return amountUs === undefined ? undefined : amountUs / 1000;
  };
  return {
    kind: 'counted',
    reasons: entriesOf('reason'),
    addresses: entriesOf('address'),
    sites: entriesOf('site'),
    p50Ms: latencyMs('p50'),
    p99Ms: latencyMs('p99'),
  };
}

const FROM_CLAUSE = `FROM events_distributed WHERE created_at >= now() - ${RECENT_S}`;
const STATEMENT = `SELECT * FROM (${[
  listStatement('reason', 'arrayJoin(block_reasons)'),
  listStatement('address', 'ip'),
  listStatement('site', 'site'),
  `SELECT 'latency' AS kind, 'p50' AS name, quantile(0.5)(duration_us) AS amount ${FROM_CLAUSE}`,
  `SELECT 'latency' AS kind, 'p99' AS name, quantile(0.99)(duration_us) AS amount ${FROM_CLAUSE}`,
].join('\nUNION ALL ')})`;

function listStatement(kind: string, expression: string): string {
  return `SELECT * FROM (SELECT '${kind}' AS kind, toString(${expression}) AS name,
    toFloat64(count()) AS amount ${FROM_CLAUSE}
    GROUP BY name ORDER BY amount DESC, name LIMIT ${LIST_LENGTH})`;
}

/** Control codes in a visitor's text would affect the terminal. */
function toAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_NAME);
}
