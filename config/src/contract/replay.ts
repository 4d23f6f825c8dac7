/** The answer of a replay of stored events with one changed setting. A page shows it unchanged. */
export interface ReplayAnswer {
  /** Number of events that were judged with the current and with the changed settings. */
  readonly judged: number;
  /**
   * 1 when all events of the time range were judged. With a number n, one in n events was judged. The request id
   * selects them.
   */
  readonly sampled: number;
  /** The times of the first and the last judged event, in ISO 8601. Null when no event was judged. */
  readonly from: string | null;
  readonly to: string | null;
  /** Events whose visitor would be treated differently. */
  readonly changed: number;
  readonly transitions: readonly ReplayTransition[];
  /** The 20 largest groups of changed events. */
  readonly groups: readonly ReplayGroup[];
  /** Data that rules need but the events do not have. Each entry is a phrase. */
  readonly unknown: readonly string[];
  /** The text for guard.yaml, or the name of the entry to remove from guard.yaml. */
  readonly yaml: string;
  /** A sentence that says where to put the text. */
  readonly where: string;
}

/**
 * `before` and `after` are outcomes: an action of an event, or a word such as `monitored`
 * (replay/src/logged/logged-request.ts).
 */
interface ReplayTransition {
  readonly before: string;
  readonly after: string;
  readonly requests: number;
}

interface ReplayGroup extends ReplayTransition {
  /** Name of the rule that decides after the change. Empty when no rule decides. */
  readonly rule: string;
  readonly reasons: readonly string[];
  /** At most three, without control characters. */
  readonly examples: readonly ReplayExample[];
}

export interface ReplayExample {
  readonly time: string;
  readonly ip: string;
  readonly method: string;
  readonly url: string;
  readonly user_agent: string;
}

export type ReplayOutcome =
  | { readonly kind: 'replayed'; readonly answer: ReplayAnswer }
  /** The change or the hours are not valid; `message` is a sentence for the caller. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Another replay is running in this process. */
  | { readonly kind: 'busy' }
  /** No answer: there is no database, time or memory ran out, or `signal` was aborted. */
  | { readonly kind: 'unavailable'; readonly message: string };
