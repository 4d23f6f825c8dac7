import type { Answers, Evidence } from '../evidence.ts';
import { ok, type Outcome, problem, unchecked } from '../finding.ts';
import { denialOf, isChallengePage } from '../guard-page.ts';
import { type Check, ofAnswers } from './check.ts';

/** Whether the challenge page reaches its visitor, with the status it was given (contract 3). */
export const challengeStatus: Check = { name: 'challenge status', judge: ofAnswers(judge) };

function judge({ url, page, problem: asProgram }: Answers, { seen }: Evidence): Outcome {
  const { status } = page;
  if (isChallengePage(page)) {
    if (status >= 400) return ok(`a challenge comes with ${status}`);
    return problem(
      `a challenge comes with ${status}`,
      'Caches keep it, and crawlers take it for the page of your site.',
      'Take out whatever changes the status in front of Guard; Guard says 403, or the status of the rule.',
    );
  }
  const wasChallenged =
    denialOf(asProgram)?.code === 'challenge_required' ||
    (seen.kind === 'seen' && seen.requests.some(({ action }) => action === 'challenge'));
  if (wasChallenged) {
    return problem(
      `Guard sent a challenge, and another page arrived (status ${status})`,
      'Nobody can pass a challenge that is not shown.',
      'Let the proxy serve answers of 403 as they are: no error_page, proxy_intercept_errors or custom error pages.',
    );
  }
  const code = denialOf(asProgram)?.code;
  return unchecked(
    code === undefined
      ? `${url} answers ${status}, without a challenge`
      : `Guard answers this machine with ${code}, not with a challenge`,
    'Name a URL that a rule challenges or detects for.',
  );
}
