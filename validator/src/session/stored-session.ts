import type { Session } from '@guard/config/contract/ports';
import { z } from 'zod';
import { hashUserAgent } from '../request/user-agent-hash.ts';

/** Every text of a session is as short as an organisation's id. */
const text = z.string().max(64);

/** A session as it lies outside of the process: in Redis, in a snapshot. */
const StoredSession = z.object({
  organisation: text,
  state: z.enum(['verified', 'rejected']),
  reasons: z.array(text).max(64),
  userAgentHash: text,
  network: text,
  /** Absent where an earlier version wrote it. */
  client: text.default(''),
  judgedAt: z.number(),
  newest: text.optional(),
  newestAt: z.number().optional(),
  expiresAt: z.number(),
});

/** As it was written before: with the User-Agent as it was sent, in the place of its digest. */
const OldSession = StoredSession.omit({ userAgentHash: true })
  .extend({ userAgent: z.string() })
  .transform(({ userAgent, ...rest }) => ({ ...rest, userAgentHash: hashUserAgent(userAgent) }));

const EitherSession = z.union([StoredSession, OldSession]);

/** A judged session with its end, in epoch milliseconds. */
export type StoredSession = Readonly<Session> & { readonly expiresAt: number };

/** One line of JSON. */
export function writeStoredSession(session: Session, expiresAt: number): string {
  const { organisation, state, reasons, userAgentHash, network, client, judgedAt } = session;
  const { newest, newestAt } = session;
  return JSON.stringify({
    organisation,
    state,
    reasons,
    userAgentHash,
    network,
    client,
    judgedAt,
    newest,
    newestAt,
    expiresAt,
  } satisfies StoredSession);
}

/** Undefined for what {@link writeStoredSession} does not write, now or in an earlier version. */
export function readStoredSession(line: string): StoredSession | undefined {
  try {
    return EitherSession.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
