import type { Fault } from './fault.ts';
import { type TrialOptions, runTrial } from './trial.ts';
import type { Result } from './results.ts';

/** Tries one fault after the other. `say` gets each step. After an abort it tries no further fault. */
export async function tryFaults(
  faults: readonly (readonly [name: string, fault: Fault])[],
  { say, signal }: TrialOptions,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [name, fault] of faults) {
    if (signal.aborted) break;
    const progressText = `${results.length + 1} of ${faults.length}, ${name}`;
    say(progressText);
    const sayWithPlace = (text: string) => say(`${progressText}: ${text}`);
    results.push(await tryFault(name, fault, { say: sayWithPlace, signal }));
  }
  return results;
}

async function tryFault(fault: string, definition: Fault, options: TrialOptions): Promise<Result> {
  const { done, hindrance, inflict } = definition;
  const missingHint = hindrance?.();
  if (missingHint !== undefined) return { kind: 'not run', fault, done, reason: missingHint };
  const startedAt = performance.now();
  try {
    const outcome = await runTrial(options, inflict);
    return { kind: 'tried', fault, done, tookS: (performance.now() - startedAt) / 1000, outcome };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'broke off', fault, done, reason };
  }
}
