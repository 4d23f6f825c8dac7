import type { Answers } from '../evidence.ts';
import { ok, type Outcome, problem } from '../finding.ts';
import { type Check, ofAnswers } from './check.ts';

/** Whether a visitor sees what only the origin is told. */
export const leaks: Check = { name: 'inner headers', judge: ofAnswers(judge) };

function judge({ page, again, problem: asProgram, returning, handshake }: Answers): Outcome {
  const answers = [page, again, asProgram, handshake, ...(returning ? [returning] : [])];
  const names = answers.flatMap((answer) =>
    answer.kind === 'answered' ? answer.fields.map(([name]) => name.toLowerCase()) : [],
  );
  const leaked = [...new Set(names.filter((name) => name.startsWith('x-guard-')))];
  if (leaked.length === 0) return ok('no X-Guard header reaches the visitor');
  return problem(
    `visitors see ${leaked.join(', ')}`,
    'They learn how they were judged, and can try until they pass.',
    'These headers are for your site. Do not send them back, and do not add them in the proxy.',
  );
}
