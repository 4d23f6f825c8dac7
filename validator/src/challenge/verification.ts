import type { Session } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import type { Judgement } from './evidence/judge.ts';
import type { Ticket, TicketReading } from './tickets/ticket.ts';

/** The sender of an upload that answers a ticket. */
export interface Sender {
  readonly userAgentHash: string;
  readonly network: string;
}

/** One list that all sessions share, because each request reads it. */
const NO_DOUBTS: readonly Reason[] = [];

/** A ticket that was parsed, authenticated and in time. */
export type ValidTicket = Extract<TicketReading, { kind: 'valid' }>;

/** A judgement without findings, or with only a doubt. */
type Passing = Extract<Judgement, { kind: 'human' | 'doubtful' }>;

/** What settle.ts needs before a session can be verified. */
interface Grounds {
  readonly reading: ValidTicket;
  readonly judgement: Passing;
  readonly sender: Sender;
}

/**
 * Proves that one ticket was authentic, was unspent until now, and was answered by a browser that was not judged
 * automated. Only `afterSpending` creates a proof, and only a proof creates a verified session.
 */
export class Verification {
  readonly #ticket: Ticket;
  readonly #sender: Sender;
  /** Empty when there was no doubt. */
  readonly doubts: readonly Reason[];

  private constructor({ reading, judgement, sender }: Grounds) {
    this.#ticket = reading.ticket;
    this.#sender = sender;
    this.doubts = judgement.kind === 'doubtful' ? judgement.reasons : NO_DOUBTS;
  }

  /** Undefined when the ticket was already spent. `spent` is the result of SessionStore.spend. */
  static afterSpending(spent: boolean, grounds: Grounds): Verification | undefined {
    return spent ? new Verification(grounds) : undefined;
  }

  get sessionId(): string {
    return this.#ticket.sessionId;
  }

  /** The session to store. `nowMs` is the time of the judgement. */
  session(nowMs: number): Session {
    return {
      organisation: this.#ticket.organisation,
      state: 'verified',
      reasons: this.doubts,
      userAgentHash: this.#sender.userAgentHash,
      network: this.#sender.network,
      client: this.#ticket.client,
      judgedAt: nowMs,
      newest: this.#ticket.sessionId,
      newestAt: nowMs,
    };
  }
}
