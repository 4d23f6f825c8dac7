import { isOnPath } from '../test/kit/tools.ts';
import type { Trial } from './trial.ts';

/** One property that must hold, and what was measured. */
export interface Claim {
  readonly what: string;
  /** The measurement in words and numbers. */
  readonly seen: string;
  readonly holds: boolean;
}

/** The results of the visitors who came during the whole fault. */
export interface Tally {
  readonly requests: number;
  /** The count of each kind of wrong answer. */
  readonly wrong: ReadonlyMap<string, number>;
  readonly slowestMs: number;
}

/** The result of one fault. */
export interface Outcome {
  readonly claims: readonly Claim[];
  readonly traffic: Tally;
  /** Memory of the gateway's process, without the database. */
  readonly residentMiB: { readonly before: number; readonly after: number };
}

/** Something that goes wrong around Guard. Each fault has its own product, with light traffic. */
export interface Fault {
  /** What the fault does, in one line. */
  readonly done: string;
  /** Why it cannot be tried on this machine. Undefined when it can. */
  readonly hindrance?: () => string | undefined;
  /** Rejects when it could not be tried. */
  readonly inflict: (trial: Trial) => Promise<Outcome>;
}

/** The counts of wrong answers, in words. */
export function wrongAnswers({ requests, wrong }: Tally): string {
  const wrongTexts = [...wrong].map(([way, count]) => `${count} × ${way}`);
  return `${wrongTexts.length === 0 ? '0' : wrongTexts.join(', ')} of ${requests}`;
}

/** The claim that every visitor got the right answer. */
export function everyAnswerIsRight(traffic: Tally, what = 'every answer is right'): Claim {
  return { what, seen: `wrong: ${wrongAnswers(traffic)}`, holds: traffic.wrong.size === 0 };
}

/** A hindrance for a fault that needs a program from outside of npm. */
export function missingProgram(program: string): () => string | undefined {
  return () => (isOnPath(program) ? undefined : `${program} is not installed`);
}
