import { CHALLENGE } from '@guard/config/contract/limits';
import type { Session, SessionStore } from '@guard/config/contract/ports';
import { presentedSessions } from '@guard/config/contract/presented-session';
import type { Reason } from '@guard/config/contract/reasons';
import type { Upload, UploadResult } from './evidence/evidence.ts';
import { judge, type Judgement } from './evidence/judge.ts';
import type { RequestFacts } from './evidence/judges/case.ts';
import { PAYLOAD_MEMORY_MS, payloadDigest } from './evidence/payload-digest.ts';
import { isWorkDone } from './tickets/proof-of-work.ts';
import type { Received } from './read-upload.ts';
import { sessionNetwork } from './session-network.ts';
import { hashUserAgent } from '../request/user-agent-hash.ts';
import type { Ticket } from './tickets/ticket.ts';
import { admit } from './upload-budgets.ts';
import { Verification, type Sender, type ValidTicket } from './verification.ts';

/** How one upload that has the right form ended. */
export type Settlement =
  | { readonly kind: 'verified'; readonly ticket: Ticket }
  | { readonly kind: 'rejected'; readonly ticket: Ticket; readonly reasons: readonly Reason[] }
  /** Too many came before it; the same answer is good again in `waitMs`. */
  | { readonly kind: 'limited'; readonly waitMs: number }
  | {
      readonly kind: 'failed';
      readonly ticket: Ticket | undefined;
      readonly reason: Reason;
      readonly result: UploadResult;
    };

export interface SettleOptions {
  readonly store: SessionStore;
  readonly sessionTtlMs: number;
  readonly rejectedTtlMs: number;
  /** Fingerprint of an organisation's rules as they are now; undefined when there is none of the name. */
  readonly currentRuleSet: (organisation: string) => string | undefined;
  /** CascadeSheets.widths */
  readonly cascadesOf: (ticketId: string) => readonly (readonly number[])[];
}

/**
 * Ticket, form, rule set, session, agent, origin, work, answered before, judgement, budget, spend, keep: in this order, each
 * leaving early with its own answer. Whatever decides comes from the ticket or the server; rejects only when the
 * store does.
 */
export async function settle(
  { reading, upload }: Received,
  request: RequestFacts & { readonly ip: string },
  nowMs: number,
  options: SettleOptions,
): Promise<Settlement> {
  switch (reading.kind) {
    case 'invalid':
      return failed(undefined, 'challenge_invalid', 'failed');
    // While an update goes from instance to instance, the page may get one of its own with a reload.
    case 'unknown':
      return failed(undefined, 'challenge_outdated', 'retry');
    // A page left open too long, or over a change of the clock, only needs the ticket of a reload.
    case 'expired':
    case 'early':
      return failed(reading.ticket, 'challenge_expired', 'retry');
    case 'valid': {
      if (!upload) return failed(reading.ticket, 'challenge_outdated', 'retry');
      const objection = objectionTo(upload, reading.ticket, request, options);
      if (objection) return objection;
      // Before the judgement, which is dear: a spent ticket may be sent a thousand times.
      const held = await options.store.session(reading.ticket.sessionId);
      if (held && isAnswered(reading.ticket, held)) {
        return failed(reading.ticket, 'challenge_replayed', 'retry');
      }
      const sender: Sender = {
        userAgentHash: reading.ticket.userAgentHash,
        network: sessionNetwork(reading.ticket.network, request.ip),
      };
      const judgement = judge(upload, request, options.cascadesOf(reading.ticket.id));
      if (judgement.kind === 'incomplete') {
        return failed(reading.ticket, 'challenge_incomplete', 'retry');
      }
      const payload = payloadDigest(upload.evidence);
      return keep(reading, { sender, judgement, payload, ip: request.ip }, nowMs, options);
    }
  }
}

/** Why an upload is no answer to its ticket, whatever its evidence says. */
function objectionTo(
  upload: Upload,
  ticket: Ticket,
  { userAgent, headers }: RequestFacts,
  { currentRuleSet }: SettleOptions,
): Settlement | undefined {
  // Other rules may ask for less, more or nothing: the next decision knows.
  if (currentRuleSet(ticket.organisation) !== ticket.ruleSet) {
    return failed(ticket, 'challenge_outdated', 'retry');
  }
  if (upload.session !== ticket.sessionId && !holdsSession(headers, ticket.sessionId)) {
    // Another tab of the same browser was given another session meanwhile: a reload settles that.
    const result = upload.session === '' ? 'no_session' : 'retry';
    return failed(ticket, 'interstitial_no_session', result);
  }
  // A visitor's network may change between page and answer (session-network.ts), its agent does not.
  if (hashUserAgent(userAgent) !== ticket.userAgentHash) {
    return failed(ticket, 'challenge_invalid', 'failed');
  }
  // A page's own origin stays what it was, and no other page can send it.
  if (ticket.origin !== '' && headers['origin'] !== ticket.origin) {
    return failed(ticket, 'challenge_invalid', 'failed');
  }
  if (!isWorkDone(upload.ticket, upload.work, ticket.work)) {
    return failed(ticket, 'challenge_invalid', 'failed');
  }
  return undefined;
}

/** On the site's own host the Cookie header shows also what a script cannot read (`HttpOnly`). */
function holdsSession({ cookie }: RequestFacts['headers'], sessionId: string): boolean {
  return typeof cookie === 'string' && presentedSessions(undefined, cookie).includes(sessionId);
}

/** An upload that has nothing left to object to, judged. */
interface Answer {
  readonly sender: Sender;
  readonly ip: string;
  readonly judgement: Exclude<Judgement, { kind: 'incomplete' }>;
  /** payloadDigest of its evidence. */
  readonly payload: string;
}

async function keep(
  reading: ValidTicket,
  answer: Answer,
  nowMs: number,
  options: SettleOptions,
): Promise<Settlement> {
  const { store, sessionTtlMs, rejectedTtlMs } = options;
  const { sender } = answer;
  const { ticket } = reading;
  const admission = await admit(ticket, answer.ip, store);
  if (admission.kind === 'repeated') return failed(ticket, 'challenge_replayed', 'retry');
  if (admission.kind === 'limited') return admission;
  const spent = await store.spend(ticket.id, ticket.expiresAt - nowMs + CHALLENGE.clockSkewMs);
  const judgement = spent ? await unlessReplayed(answer, store) : answer.judgement;
  switch (judgement.kind) {
    case 'human': {
      const verification = Verification.afterSpending(spent, { reading, judgement, sender });
      if (!verification) return failed(ticket, 'challenge_replayed', 'retry');
      await store.keepSession(verification.sessionId, verification.session(nowMs), sessionTtlMs);
      return { kind: 'verified', ticket };
    }
    case 'automated': {
      if (!spent) return failed(ticket, 'challenge_replayed', 'retry');
      const { organisation, sessionId, network, client } = ticket;
      const { reasons } = judgement;
      // It counts where the challenged one is: an upload from elsewhere must not carry it there.
      await store.keepSession(
        sessionId,
        { ...sender, network, client, organisation, state: 'rejected', reasons, judgedAt: nowMs },
        rejectedTtlMs,
      );
      return { kind: 'rejected', ticket, reasons };
    }
  }
}

/** The same readings with the same timings have come before, under another ticket: a recording. */
async function unlessReplayed(
  { judgement, payload }: Answer,
  store: SessionStore,
): Promise<Answer['judgement']> {
  if (judgement.kind === 'automated') return judgement;
  const first = await store.spend(payload, PAYLOAD_MEMORY_MS);
  return first ? judgement : { kind: 'automated', reasons: ['payload_replayed'] };
}

/**
 * A session judged since the ticket was issued has had its answer: a second ticket of the same session
 * cannot wash a rejected one clean, and a ticket stays spent when the list of spent ones overflows.
 */
function isAnswered(ticket: Ticket, held: Session): boolean {
  return held.organisation === ticket.organisation && held.judgedAt >= ticket.issuedAt;
}

function failed(ticket: Ticket | undefined, reason: Reason, result: UploadResult): Settlement {
  return { kind: 'failed', ticket, reason, result };
}
