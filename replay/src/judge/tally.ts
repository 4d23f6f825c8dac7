import type { ReplayExample } from '@guard/config/contract/replay';
import type { Judged } from './judge-settings.ts';
import type { LoggedRequest, Outcome } from '../logged/logged-request.ts';

const MAX_GROUPS = 1_000;
/** The number of examples in each group. */
const MAX_EXAMPLES = 3;
const MAX_FAULTS = 5;
/** Maximum length of a text in an example, in UTF-16 code units. */
const MAX_TEXT = 160;

/** Requests with the same change, the same rule and the same reasons. */
export interface Group {
  readonly before: Outcome;
  readonly after: Outcome;
  readonly rule: string;
  readonly reasons: readonly string[];
  requests: number;
  readonly examples: ReplayExample[];
}

interface Fault {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

export interface Report {
  readonly judged: number;
  readonly unreadable: number;
  /** The first lines that could not be judged. */
  readonly faults: readonly Fault[];
  /** The time in ISO 8601. Null when no request was judged. */
  readonly from: string | null;
  readonly to: string | null;
  /** The number of requests with another outcome. */
  readonly changed: number;
  readonly transitions: readonly Pick<Group, 'before' | 'after' | 'requests'>[];
  /** The groups of requests with another outcome than before. The largest group is first. */
  readonly groups: readonly Group[];
  /** The number of changed requests that are in no group, because there are too many groups. */
  readonly ungrouped: number;
}

/** Outcomes that let the request pass. The visitor sees no difference between them. */
const PASSES: ReadonlySet<Outcome> = new Set(['allow', 'served', 'unprotected']);

/** Counts the changed requests. Its memory does not grow with the length of the log. */
export class Tally {
  readonly #transitions = new Map<string, Pick<Group, 'before' | 'after' | 'requests'>>();
  readonly #groups = new Map<string, Group>();
  readonly #faults: Fault[] = [];
  #judgedCount = 0;
  #unreadableCount = 0;
  #changedCount = 0;
  #ungroupedCount = 0;
  #fromMs = Infinity;
  #toMs = -Infinity;

  add(request: LoggedRequest, before: Outcome, { outcome: after, rule, reasons }: Judged): void {
    this.#judgedCount += 1;
    if (request.timeMs < this.#fromMs) this.#fromMs = request.timeMs;
    if (request.timeMs > this.#toMs) this.#toMs = request.timeMs;
    const transitionKey = `${before} ${after}`;
    const transition = this.#transitions.get(transitionKey);
    if (transition) transition.requests += 1;
    else this.#transitions.set(transitionKey, { before, after, requests: 1 });
    if (!isChange(before, after)) return;
    this.#changedCount += 1;
    const groupKey = `${transitionKey} ${reasons.join(' ')} ${rule}`;
    const group =
      this.#groups.get(groupKey) ?? this.#newGroup(groupKey, { before, after, rule, reasons });
    if (group === undefined) {
      this.#ungroupedCount += 1;
      return;
    }
    group.requests += 1;
    if (group.examples.length < MAX_EXAMPLES) group.examples.push(exampleOf(request));
  }

  addFault(fault: Fault): void {
    this.#unreadableCount += 1;
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(fault);
  }

  report(): Report {
    const largestFirst = (a: { requests: number }, b: { requests: number }) =>
      b.requests - a.requests;
    return {
      judged: this.#judgedCount,
      unreadable: this.#unreadableCount,
      faults: this.#faults,
      from: this.#judgedCount === 0 ? null : new Date(this.#fromMs).toISOString(),
      to: this.#judgedCount === 0 ? null : new Date(this.#toMs).toISOString(),
      changed: this.#changedCount,
      transitions: [...this.#transitions.values()].toSorted(largestFirst),
      groups: [...this.#groups.values()].toSorted(largestFirst),
      ungrouped: this.#ungroupedCount,
    };
  }

  #newGroup(
    groupKey: string,
    change: Pick<Group, 'before' | 'after' | 'rule' | 'reasons'>,
  ): Group | undefined {
    if (this.#groups.size >= MAX_GROUPS) return undefined;
    const group = { ...change, requests: 0, examples: [] };
    this.#groups.set(groupKey, group);
    return group;
  }
}

export function isChange(before: Outcome, after: Outcome): boolean {
  return before !== after && !(PASSES.has(before) && PASSES.has(after));
}

function exampleOf({ timeMs, ip, method, host, target, userAgent }: LoggedRequest): ReplayExample {
  return {
    time: new Date(timeMs).toISOString(),
    ip,
    method: printable(method),
    url: printable(`${host ?? ''}${target}`),
    user_agent: printable(userAgent),
  };
}

/** A text from a visitor must not send control codes to the terminal. */
function printable(text: string): string {
  const shortened = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
  return shortened.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�');
}
