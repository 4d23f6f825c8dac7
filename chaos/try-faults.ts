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
    const place = `${results.length + 1} of ${faults.length}, ${name}`;
    say(place);
    const tell = (text: string) => say(`${place}: ${text}`);
    results.push(await tryFault(name, fault, { say: tell, signal }));
  }
  return results;
}

async function tryFault(fault: string, tried: Fault, options: TrialOptions): Promise<Result> {
  const { done, hindrance, inflict } = tried;
  const missing = hindrance?.();
  if (missing !== undefined) return { kind: 'not run', fault, done, reason: missing };
  const startedAt = performance.now();
  try {
    const outcome = await runTrial(options, inflict);
    return { kind: 'tried', fault, done, tookS: (performance.now() - startedAt) / 1000, outcome };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'broke off', fault, done, reason };
  }
}
