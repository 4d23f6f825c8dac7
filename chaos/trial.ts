import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The trial of one fault. Everything that it starts is ended after it, the last first, also when it fails. */
export interface Trial {
  /** Registers a function that is called at the end. */
  readonly atEnd: (end: () => unknown) => void;
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
  const ends: (() => unknown)[] = [];
  const told = once(signal, 'abort').then(() => Promise.reject(new Error('interrupted')));
  const [tried] = await Promise.allSettled([
    Promise.race([run({ say, atEnd: (end) => ends.push(end) }), told]),
  ]);
  const left: unknown[] = [];
  for (const end of ends.toReversed()) {
    try {
      await end();
    } catch (error) {
      left.push(error);
    }
  }
  if (tried.status === 'rejected') throw tried.reason;
  if (left.length > 0) throw new AggregateError(left, `not everything ended: ${left.join(', ')}`);
  return tried.value;
}

/** Makes a folder that is removed at the end. */
export async function makeFolder(trial: Trial): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-chaos-'));
  trial.atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
