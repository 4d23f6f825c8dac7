import type { Session } from '@guard/config/contract/ports';
import { z } from 'zod';

/** A session as it lies outside of the process: in Redis, in a snapshot. */
const StoredSession = z.object({
  organisation: z.string(),
  state: z.enum(['verified', 'rejected']),
  reasons: z.array(z.string()),
  userAgent: z.string(),
  network: z.string(),
  judgedAt: z.number(),
  expiresAt: z.number(),
});

/** A judged session with its end, in epoch milliseconds. */
export type StoredSession = Readonly<Session> & { readonly expiresAt: number };

/** One line of JSON. */
export function writeStoredSession(session: Session, expiresAt: number): string {
  const { organisation, state, reasons, userAgent, network, judgedAt } = session;
  return JSON.stringify({
    organisation,
    state,
    reasons,
    userAgent,
    network,
    judgedAt,
    expiresAt,
  } satisfies StoredSession);
}

/** Undefined for what {@link writeStoredSession} does not write. */
export function readStoredSession(text: string): StoredSession | undefined {
  try {
    return StoredSession.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
