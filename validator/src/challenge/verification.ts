import type { Session } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import type { Judgement } from './evidence/judge.ts';
import type { Ticket, TicketReading } from './tickets/ticket.ts';

/** Who answered a ticket: the sender of the upload. */
export interface Sender {
  readonly userAgentHash: string;
  /** Network the session is remembered under (session-network.ts). */
  readonly network: string;
}

/** One list for all sessions: each request looks at it. */
const NO_DOUBTS: readonly Reason[] = [];

/** A ticket that was read, authenticated and in time. */
export type ValidTicket = Extract<TicketReading, { kind: 'valid' }>;

/** A judgement that found nothing, or nothing but a doubt. */
export type Passing = Extract<Judgement, { kind: 'human' | 'doubtful' }>;

/** What settle.ts has to hold in its hands before a session can be verified. */
export interface Grounds {
  readonly reading: ValidTicket;
  readonly judgement: Passing;
  readonly sender: Sender;
}

/**
 * Proof that one ticket was read as ours, was unspent until now, and was answered by a browser that
 * was not judged automated. Only `afterSpending` makes one, and a verified session is made of nothing else.
 */
export class Verification {
  readonly #ticket: Ticket;
  readonly #sender: Sender;
  /** Empty where there was none. */
  readonly doubts: readonly Reason[];

  private constructor({ reading, judgement, sender }: Grounds) {
    this.#ticket = reading.ticket;
    this.#sender = sender;
    this.doubts = judgement.kind === 'doubtful' ? judgement.reasons : NO_DOUBTS;
  }

  /** Undefined when the ticket was spent before: `spent` is the answer of SessionStore.spend. */
  static afterSpending(spent: boolean, grounds: Grounds): Verification | undefined {
    return spent ? new Verification(grounds) : undefined;
  }

  /** The session id this proof stands for. */
  get sessionId(): string {
    return this.#ticket.sessionId;
  }

  /** The session to keep; `nowMs` is the time of the judgement. */
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
