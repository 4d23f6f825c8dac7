import type { Session } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import type { Judgement } from './evidence/judge.ts';
import type { Ticket, TicketReading } from './tickets/ticket.ts';

/** The sender of an upload that answers a ticket. */
export interface Sender {
  readonly userAgentHash: string;
  readonly network: string;
}

/**
 * All sessions without doubts share this list. Nearly every request reads the list, so one shared list stays in the
 * processor's cache.
 */
const NO_DOUBTS: readonly Reason[] = [];

/** The reading of a ticket that is authentic and in time. */
export type ValidTicketReading = Extract<TicketReading, { kind: 'valid' }>;

/** A judgement whose findings are not enough to reject: human or doubtful. */
type PassingJudgement = Extract<Judgement, { kind: 'human' | 'doubtful' }>;

/** The data that must exist before a session can be verified. */
interface VerificationInput {
  readonly reading: ValidTicketReading;
  readonly judgement: PassingJudgement;
  readonly sender: Sender;
}

/**
 * Proves that one ticket was authentic, was unspent until now, and was answered by a browser that was not judged
 * automated. Only `afterSpending` creates a verification, and only a verification creates a verified session.
 */
export class Verification {
  readonly #ticket: Ticket;
  readonly #sender: Sender;
  /** The reasons for doubt. Empty when there was no doubt. */
  readonly doubts: readonly Reason[];

  private constructor({ reading, judgement, sender }: VerificationInput) {
    this.#ticket = reading.ticket;
    this.#sender = sender;
    this.doubts = judgement.kind === 'doubtful' ? judgement.reasons : NO_DOUBTS;
  }

  /**
   * Undefined when the ticket was already spent. `isNewlySpent` is the result of SessionStore.spend: true when this
   * call spent the ticket.
   */
  static afterSpending(isNewlySpent: boolean, input: VerificationInput): Verification | undefined {
    return isNewlySpent ? new Verification(input) : undefined;
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
