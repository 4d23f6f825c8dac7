import { z } from 'zod';
import { type EventsAccess, queryEvents } from '../running-guard/query-events.ts';

/** How long to wait until events are written. Guard writes them in batches every second or two. */
const MAX_WRITE_MS = 8_000;
const POLL_MS = 400;
/** The difference between the clocks of two machines that doctor tolerates. */
const CLOCK_MARGIN_MS = 86_400_000;

/** The Accept header that only the last request has. */
export const LAST_ACCEPT = 'application/json';

const SeenRequest = z.object({
  ip: z.string(),
  scheme: z.string(),
  action: z.string(),
  forwarded: z.string(),
  rfc7239: z.string(),
  accept: z.string(),
  websocket_key: z.string(),
  upgrade: z.string(),
});

export type SeenRequest = Readonly<z.infer<typeof SeenRequest>>;

export type SeenRequests =
  | { readonly kind: 'seen'; readonly requests: readonly SeenRequest[] }
  /** Guard was asked, but it has no events of the requests. */
  | { readonly kind: 'none' }
  | { readonly kind: 'not_asked'; readonly why: string };

/**
 * Queries Guard's events for the requests with this User-Agent, until the last request is found, or until it is too
 * late for it.
 */
export async function seenRequests(
  access: EventsAccess | { readonly missing: string },
  userAgent: string,
  timeoutMs: number,
): Promise<SeenRequests> {
  if ('missing' in access) return { kind: 'not_asked', why: access.missing };
  const fromMs = Date.now() - CLOCK_MARGIN_MS;
  const sql = `SELECT ip, scheme, action, headers['x-forwarded-for'] AS forwarded, headers['forwarded'] AS rfc7239, headers['accept'] AS accept,
    headers['sec-websocket-key'] AS websocket_key, headers['upgrade'] AS upgrade
    FROM events_distributed
    WHERE created_at >= fromUnixTimestamp64Milli(${fromMs}) AND user_agent = '${userAgent}'
    ORDER BY created_at LIMIT 50`;
  const deadlineMs = Date.now() + MAX_WRITE_MS;
  for (;;) {
    const answer = await queryEvents(access, sql, SeenRequest, timeoutMs);
    if (answer.kind === 'refused') return { kind: 'not_asked', why: answer.why };
    const { rows } = answer;
    const isLate = Date.now() > deadlineMs;
    if (isLate && rows.length === 0) return { kind: 'none' };
    if (isLate || rows.some((row) => row.accept === LAST_ACCEPT))
      return { kind: 'seen', requests: rows };
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
