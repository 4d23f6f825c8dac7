import type { Reason } from '@guard/config/contract/reasons';
import type { SessionStore } from '@guard/config/contract/ports';
import type { Sealer } from '../session/sealer.ts';
import type { Upload, UploadResult } from './evidence.ts';
import { judge, type Judgement } from './judge.ts';
import type { RequestFacts } from './judges/case.ts';
import { sessionNetwork } from './session-network.ts';
import { hashUserAgent, readTicket, type Ticket } from './ticket.ts';
import { Verification, type Sender, type ValidTicket } from './verification.ts';

/** How one upload that has the right form ended. */
export type Settlement =
  | { readonly kind: 'verified'; readonly ticket: Ticket }
  | { readonly kind: 'rejected'; readonly ticket: Ticket; readonly reasons: readonly Reason[] }
  | {
      readonly kind: 'failed';
      readonly ticket: Ticket | undefined;
      readonly reason: Reason;
      readonly result: UploadResult;
    };

export interface SettleOptions {
  readonly sealer: Sealer;
  readonly store: SessionStore;
  readonly sessionTtlMs: number;
  readonly rejectedTtlMs: number;
}

/** Added to a spent ticket's rest of life: instances of one service differ a little in their clocks. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Ticket, session, agent, judgement, spend, keep: in this order, each leaving early with its own
 * answer. Whatever decides comes from the ticket or the server; rejects only when the store does.
 */
export async function settle(
  upload: Upload,
  request: RequestFacts & { readonly ip: string },
  nowMs: number,
  options: SettleOptions,
): Promise<Settlement> {
  const reading = readTicket(options.sealer, upload.ticket, nowMs);
  if (reading.kind === 'invalid') return failed(undefined, 'challenge_invalid', 'failed');
  const { ticket } = reading;
  // A page left open too long only needs a fresh ticket, which a reload brings.
  if (reading.kind === 'expired') return failed(ticket, 'challenge_expired', 'retry');
  if (upload.session !== ticket.sessionId) {
    // Another tab of the same browser was given another session meanwhile: a reload settles that.
    return failed(
      ticket,
      'interstitial_no_session',
      upload.session === '' ? 'no_session' : 'retry',
    );
  }
  if (hashUserAgent(request.userAgent) !== ticket.userAgentHash) {
    return failed(ticket, 'challenge_invalid', 'failed');
  }
  const sender: Sender = {
    userAgent: request.userAgent,
    network: sessionNetwork(ticket.network, request.ip),
  };
  return keep(reading, sender, judge(upload.evidence, request), nowMs, options);
}

async function keep(
  reading: ValidTicket,
  sender: Sender,
  judgement: Judgement,
  nowMs: number,
  options: SettleOptions,
): Promise<Settlement> {
  const { store, sessionTtlMs, rejectedTtlMs } = options;
  const { ticket } = reading;
  const spent = await store.spend(ticket.id, ticket.expiresAt - nowMs + CLOCK_SKEW_MS);
  switch (judgement.kind) {
    case 'human': {
      const verification = Verification.afterSpending(spent, { reading, judgement, sender });
      if (!verification) return failed(ticket, 'challenge_replayed', 'retry');
      await store.keepSession(verification.sessionId, verification.session(nowMs), sessionTtlMs);
      return { kind: 'verified', ticket };
    }
    case 'automated': {
      if (!spent) return failed(ticket, 'challenge_replayed', 'retry');
      const { organisation, sessionId } = ticket;
      const { reasons } = judgement;
      await store.keepSession(
        sessionId,
        { ...sender, organisation, state: 'rejected', reasons, judgedAt: nowMs },
        rejectedTtlMs,
      );
      return { kind: 'rejected', ticket, reasons };
    }
  }
}

function failed(ticket: Ticket | undefined, reason: Reason, result: UploadResult): Settlement {
  return { kind: 'failed', ticket, reason, result };
}
