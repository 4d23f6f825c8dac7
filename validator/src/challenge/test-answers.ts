import { LAYOUT_SIDE, layoutQuestions } from '../../browser/page/layout/questions.ts';
import type { Evidence } from './evidence/evidence.ts';
import { layoutAnswers } from './evidence/layout-answers.ts';

let visits = 0;

/**
 * Recorded evidence as the same browser would give it for this ticket: the layout measured for it, in a
 * document that began at a time of its own.
 */
export function answering(evidence: Evidence, ticket: string): Evidence {
  visits += 1;
  const answers = layoutAnswers(layoutQuestions(ticket)).map((px) => Math.round(px * 10) / 10);
  return {
    ...evidence,
    startedAtMs: evidence.startedAtMs + visits,
    readings: { ...evidence.readings, layout: { value: { side: LAYOUT_SIDE, answers } } },
  };
}
