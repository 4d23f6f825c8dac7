import { isOnPath } from '../test/kit/tools.ts';
import type { Ground } from './ground.ts';

/** One thing that must hold, and what was seen of it. */
export interface Claim {
  readonly what: string;
  /** With numbers, wherever there are any. */
  readonly seen: string;
  readonly holds: boolean;
}

/** What the visitors met who came all the time, whatever was done. */
export interface Tally {
  readonly requests: number;
  /** How answers were wrong, and how often each. */
  readonly wrong: ReadonlyMap<string, number>;
  readonly slowestMs: number;
}

/** What one fault came to. */
export interface Outcome {
  readonly claims: readonly Claim[];
  readonly traffic: Tally;
  /** Of the gateway's process, without the database. */
  readonly residentMiB: { readonly before: number; readonly after: number };
}

/** Something that goes wrong around Guard. Each is done to a product of its own, under light traffic. */
export interface Fault {
  /** What is done, in one line. */
  readonly done: string;
  /** Why it cannot be tried on this machine; undefined: it can. */
  readonly hindrance?: () => string | undefined;
  /** Rejects when it could not be tried. */
  readonly inflict: (ground: Ground) => Promise<Outcome>;
}

/** How many times each way of being wrong occurred, in words. */
export function wrongAnswers({ requests, wrong }: Tally): string {
  const ways = [...wrong].map(([way, count]) => `${count} × ${way}`);
  return `${ways.length === 0 ? '0' : ways.join(', ')} of ${requests}`;
}

/** The claim that every visitor got the right answer. */
export function everyAnswerIsRight(traffic: Tally, what = 'every answer is right'): Claim {
  return { what, seen: `wrong: ${wrongAnswers(traffic)}`, holds: traffic.wrong.size === 0 };
}

/** The hindrance that a program, which npm does not bring, is not installed. */
export function needs(program: string): () => string | undefined {
  return () => (isOnPath(program) ? undefined : `${program} is not installed`);
}
