/** The result of a check. `unchecked` means that the check was not possible. Then `found` says what was missing. */
export type State = 'ok' | 'warning' | 'problem' | 'unchecked';

export interface Outcome {
  readonly state: State;
  readonly found: string;
  /** Why it matters, and what to do. Both are empty when all is well. */
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

/**
 * The outcome of a check that was not possible. `found` is the reason, and `advice` says how to make the check
 * possible.
 */
export function unchecked(found: string, advice = ''): Outcome {
  return { state: 'unchecked', found, why: '', advice };
}
