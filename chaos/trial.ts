import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The trial of one fault. Everything that it starts is ended after it, the last first, also when it fails. */
export interface Trial {
  /** Registers a function that is called at the end. */
  readonly onEnd: (end: () => unknown) => void;
  /** Shows the present step on the terminal. */
  readonly say: (text: string) => void;
}

export interface TrialOptions {
  readonly say: Trial['say'];
  /** Aborts the trial at once. What it started is ended in order. */
  readonly signal: AbortSignal;
}

/** Runs a trial. Rejects with the error of `run`, or else with what could not be ended. */
export async function runTrial<T>(
  { say, signal }: TrialOptions,
  run: (trial: Trial) => Promise<T>,
): Promise<T> {
  const cleanUps: (() => unknown)[] = [];
  const interrupted = once(signal, 'abort').then(() => Promise.reject(new Error('interrupted')));
  const [tried] = await Promise.allSettled([
    Promise.race([run({ say, onEnd: (end) => cleanUps.push(end) }), interrupted]),
  ]);
  const cleanUpErrors: unknown[] = [];
  for (const end of cleanUps.toReversed()) {
    try {
      await end();
    } catch (error) {
      cleanUpErrors.push(error);
    }
  }
  if (tried.status === 'rejected') throw tried.reason;
  if (cleanUpErrors.length > 0)
    throw new AggregateError(cleanUpErrors, `not everything ended: ${cleanUpErrors.join(', ')}`);
  return tried.value;
}

/** Makes a folder that is removed at the end. */
export async function makeFolder(trial: Trial): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-chaos-'));
  trial.onEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
