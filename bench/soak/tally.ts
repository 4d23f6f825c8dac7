/** The result of one request of a soak. */
export type RequestOutcome =
  | { readonly kind: 'right' }
  /** An acceptable answer of a gateway whose origin was just killed: 502, 503, 504, or a body that is cut off. */
  | { readonly kind: 'origin away'; readonly how: string }
  | { readonly kind: 'wrong'; readonly how: string };

/** The answer, or `cut off` when the connection broke before the answer was whole. */
export type Answer =
  | { readonly kind: 'cut off' }
  | {
      readonly kind: 'whole';
      readonly status: number;
      readonly body: Buffer;
      /** Whether the answer set a new session for a visitor who sent a session. */
      readonly newSession: boolean;
    };

const ORIGIN_ERRORS: readonly number[] = [502, 503, 504];

/** `settled` means that every origin had been running for a while when the request was sent, and that it still runs. */
export function judge(answer: Answer, expected: Buffer, isSettled: boolean): RequestOutcome {
  if (answer.kind === 'cut off') return disturbedOutcome('cut off', isSettled);
  const { status, body, newSession } = answer;
  if (ORIGIN_ERRORS.includes(status)) return disturbedOutcome(`status ${status}`, isSettled);
  if (status !== 200) return { kind: 'wrong', how: `status ${status}` };
  if (!body.equals(expected)) return { kind: 'wrong', how: 'another body than its own' };
  return newSession ? { kind: 'wrong', how: 'a session was lost' } : { kind: 'right' };
}

function disturbedOutcome(fault: string, isSettled: boolean): RequestOutcome {
  return isSettled
    ? { kind: 'wrong', how: `${fault} while every origin was up` }
    : { kind: 'origin away', how: fault };
}

/** The counts of each outcome, in the order in which the outcomes first occurred. */
export interface Tally {
  readonly counts: ReadonlyMap<string, number>;
  readonly right: number;
  readonly wrong: number;
  add(fate: RequestOutcome): void;
  /** Counts an action that is not a request. */
  note(outcome: string): void;
}

export function createTally(): Tally {
  const counts = new Map<string, number>();
  const totals = { right: 0, wrong: 0, 'origin away': 0 };
  const note = (outcome: string) => {
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  };
  return {
    counts,
    get right() {
      return totals.right;
    },
    get wrong() {
      return totals.wrong;
    },
    add(fate) {
      totals[fate.kind] += 1;
      note(fate.kind === 'right' ? 'right' : `${fate.kind}: ${fate.how}`);
    },
    note,
  };
}
