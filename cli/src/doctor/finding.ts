/** How a check came out. `unchecked` is no verdict: `found` says what was missing for one. */
export type State = 'ok' | 'warning' | 'problem' | 'unchecked';

/** What a check has to tell. */
export interface Outcome {
  readonly state: State;
  readonly found: string;
  /** Why it matters, and what to do; empty where all is well. */
  readonly why: string;
  readonly advice: string;
}

export function ok(found: string): Outcome {
  return { state: 'ok', found, why: '', advice: '' };
}

export function warning(found: string, why: string, advice: string): Outcome {
  return { state: 'warning', found, why, advice };
}

export function problem(found: string, why: string, advice: string): Outcome {
  return { state: 'problem', found, why, advice };
}

/** Could not be looked at: for which reason, and what would help. */
export function unchecked(found: string, advice = ''): Outcome {
  return { state: 'unchecked', found, why: '', advice };
}
