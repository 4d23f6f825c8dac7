/** The result of a check. With `unchecked` there is no verdict, and `found` says what was missing for one. */
export type State = 'ok' | 'warning' | 'problem' | 'unchecked';

/** What a check says. */
export interface Outcome {
  readonly state: State;
  readonly found: string;
  /** Why it matters, and what to do. Empty where all is well. */
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

/** For a check that was not possible. `found` is the reason, `advice` what would help. */
export function unchecked(found: string, advice = ''): Outcome {
  return { state: 'unchecked', found, why: '', advice };
}
