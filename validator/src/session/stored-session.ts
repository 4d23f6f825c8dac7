import { readJson } from '@guard/config/contract/json';
import type { Session } from '@guard/config/contract/ports';
import { z } from 'zod';
import { hashUserAgent } from '../request/user-agent-hash.ts';

/** The id of an organisation is the longest text of a session. */
const text = z.string().max(64);

/** The form of a session outside the process: in Redis or in a snapshot. */
const StoredSession = z.object({
  organisation: text,
  state: z.enum(['verified', 'rejected']),
  reasons: z.array(text).max(64),
  userAgentHash: text,
  network: text,
  /** Earlier versions wrote no client. */
  client: text.default(''),
  judgedAt: z.number(),
  newest: text.optional(),
  newestAt: z.number().optional(),
  expiresAt: z.number(),
});

/** The form that earlier versions wrote, with the User-Agent in place of its hash. */
const OldSession = StoredSession.omit({ userAgentHash: true })
  .extend({ userAgent: z.string() })
  .transform(({ userAgent, ...rest }) => ({ ...rest, userAgentHash: hashUserAgent(userAgent) }));

const EitherSession = z.union([StoredSession, OldSession]);

/** A judged session with its expiry in epoch milliseconds. */
type StoredSession = Readonly<Session> & { readonly expiresAt: number };

/** Writes a session as one line of JSON. */
export function writeStoredSession(session: Session, expiresAt: number): string {
  return JSON.stringify({ ...session, expiresAt } satisfies StoredSession);
}

/** Reads a line. Undefined for a line that no version of {@link writeStoredSession} wrote. */
export function readStoredSession(line: string): StoredSession | undefined {
  return readJson(EitherSession, line);
}
