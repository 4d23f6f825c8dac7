import type { Answers, Evidence } from '../evidence.ts';
import { isChallengePage } from '../guard-page.ts';
import { type Outcome, unchecked } from '../outcome.ts';

/** A check for one kind of fault between the visitor and Guard. It judges the evidence and sends no request. */
export interface Check {
  readonly name: string;
  readonly judge: (evidence: Evidence) => Outcome;
}

/** Makes a check that needs an answer from the site. */
export function judgeAnswers(
  judge: (answers: Answers, evidence: Evidence) => Outcome,
): Check['judge'] {
  return (evidence) =>
    evidence.answers === undefined
      ? unchecked('no page was reached')
      : judge(evidence.answers, evidence);
}

/** Makes a check of the challenge page itself. */
export function judgeChallengePage(
  judge: (answers: Answers, evidence: Evidence) => Outcome,
): Check['judge'] {
  return judgeAnswers((answers, evidence) =>
    isChallengePage(answers.page)
      ? judge(answers, evidence)
      : unchecked(
          `no challenge page came from ${answers.url} (status ${answers.page.status})`,
          'Name a URL that a rule challenges or detects for.',
        ),
  );
}
