import type { Answers } from '../evidence.ts';
import { type Answered, fieldsOf } from '../exchange.ts';
import { ok, type Outcome, unchecked, warning } from '../finding.ts';
import { denialOf } from '../guard-page.ts';
import { type Check, ofAnswers } from './check.ts';

/** Fields by which what stands in front names itself. */
const NAMING = ['via', 'server', 'x-served-by', 'cf-ray', 'x-amz-cf-id', 'fly-request-id'];

/** Whether a denied request can be found again, and who stands in front. */
export const trace: Check = { name: 'trace', judge: ofAnswers(judge) };

function judge({ page, problem: asProgram }: Answers): Outcome {
  const front = frontOf(page);
  const denial = denialOf(asProgram);
  if (denial === undefined) return unchecked(`no request was denied; ${front}`);
  if (denial.requestId !== '') return ok(`a denied request names its id; ${front}`);
  return warning(
    `a denied request does not name its id; ${front}`,
    'Nobody can find it in the events when a visitor asks why.',
    'Let the body of Guard through as it came.',
  );
}

function frontOf(page: Answered): string {
  const named = NAMING.flatMap((name) =>
    fieldsOf(page, name).map((value) => `${name}: ${value.slice(0, 40)}`),
  );
  return named.length === 0 ? 'nobody in front names itself' : named.join(', ');
}
