import type { Session } from '@guard/config/contract/ports';
import type { Judgement } from './evidence/judge.ts';
import type { Ticket, TicketReading } from './tickets/ticket.ts';

/** Who answered a ticket: the sender of the upload. */
export interface Sender {
  readonly userAgentHash: string;
  /** Network the session is remembered under (session-network.ts). */
  readonly network: string;
}

/** A ticket that was read, authenticated and in time. */
export type ValidTicket = Extract<TicketReading, { kind: 'valid' }>;

/** A judgement that found nothing. */
export type Human = Extract<Judgement, { kind: 'human' }>;

/** What settle.ts has to hold in its hands before a session can be verified. */
export interface Grounds {
  readonly reading: ValidTicket;
  readonly judgement: Human;
  readonly sender: Sender;
}

/**
 * Proof that one ticket was read as ours, was unspent until now, and was answered by a browser that
 * was judged human. Only `afterSpending` makes one, and a verified session is made of nothing else.
 */
export class Verification {
  readonly #ticket: Ticket;
  readonly #sender: Sender;

  private constructor(ticket: Ticket, sender: Sender) {
    this.#ticket = ticket;
    this.#sender = sender;
  }

  /** undefined when somebody else has spent the ticket: `spent` is the answer of SessionStore.spend. */
  static afterSpending(spent: boolean, grounds: Grounds): Verification | undefined {
    return spent ? new Verification(grounds.reading.ticket, grounds.sender) : undefined;
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
      reasons: [],
      userAgentHash: this.#sender.userAgentHash,
      network: this.#sender.network,
      client: this.#ticket.client,
      judgedAt: nowMs,
    };
  }
}
