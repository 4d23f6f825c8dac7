import type { Case } from './case.ts';
import { type Answer, type CorpusOptions, type Group, groupsOf } from './groups.ts';
import { seededRandom } from '../test/kit/seeded-random.ts';

export type Half = 'tuned on' | 'held out';

/** The result for one group of requests in one half of the corpus. */
export interface Row {
  readonly group: string;
  readonly half: Half;
  readonly requests: number;
  /** The number of requests for each decision. Undefined for a group that tests only identification. */
  readonly decisions: Readonly<Record<Answer['decision'], number>> | undefined;
  /** The number of requests that were judged as the goal requires. */
  readonly right: number;
  readonly goal: string;
  /** Undefined when Guard makes no promise for the group. */
  readonly met: boolean | undefined;
}

/** A request that was not judged as the goal of its group requires. */
export interface Miss {
  readonly group: string;
  readonly half: Half;
  readonly about: string;
  readonly reasons: readonly string[];
}

export interface Evaluation {
  readonly rows: readonly Row[];
  readonly misses: readonly Miss[];
}

export interface EvaluationOptions extends CorpusOptions {
  readonly onProgress: (done: number, total: number) => void;
}

/** Judges the whole corpus with the real validator and one rule, `{ match: {}, detect: true }`. */
export async function evaluate(options: EvaluationOptions): Promise<Evaluation> {
  const groups = groupsOf(options);
  const total = groups.reduce((sum, { cases }) => sum + cases.length, 0);
  const rows: Row[] = [];
  const misses: Miss[] = [];
  let done = 0;
  for (const group of groups) {
    const halves: Record<Half, Answered[]> = { 'tuned on': [], 'held out': [] };
    for (const one of group.cases) {
      const half = halfOf(one, options.seed);
      halves[half].push({ one, answer: await group.judge(one) });
      done += 1;
      if (done % 64 === 0) options.onProgress(done, total);
    }
    for (const half of ['tuned on', 'held out'] as const) {
      rows.push(rowOf(group, half, halves[half]));
      for (const { one, answer } of halves[half]) {
        if (group.isRight(answer)) continue;
        misses.push({ group: group.name, half, about: one.about, reasons: answer.reasons });
      }
    }
  }
  return { rows, misses };
}

interface Answered {
  readonly one: Case;
  readonly answer: Answer;
}

/** The half is chosen by the unit and not by the request, because the requests of one unit are similar. */
function halfOf({ unit }: Case, seed: number): Half {
  let hash = seed >>> 0;
  for (let i = 0; i < unit.length; i++) {
    hash = Math.imul(hash ^ unit.charCodeAt(i), 0x01000193) >>> 0;
  }
  return seededRandom(hash).next() < 0.5 ? 'tuned on' : 'held out';
}

function rowOf(group: Group, half: Half, answered: readonly Answered[]): Row {
  const decisions = { allow: 0, challenge: 0, block: 0 };
  for (const { answer } of answered) decisions[answer.decision] += 1;
  const tally = {
    requests: answered.length,
    blocked: decisions.block,
    right: answered.filter(({ answer }) => group.isRight(answer)).length,
  };
  return {
    group: group.name,
    half,
    requests: tally.requests,
    decisions: group.decides ? decisions : undefined,
    right: tally.right,
    goal: group.goal,
    met: group.isMet?.(tally),
  };
}
