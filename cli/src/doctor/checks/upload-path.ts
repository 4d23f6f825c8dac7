import type { Answers } from '../evidence.ts';
import type { Exchange } from '../exchange.ts';
import { ok, type Outcome, problem, unchecked } from '../finding.ts';
import { isChallengePage, uploadUrl } from '../guard-page.ts';
import { type Check, ofAnswers } from './check.ts';

/** Whether the uploads of browsers arrive at Guard (contract 3: without an upload no visitor is verified). */
export const uploadPath: Check = { name: 'upload path', judge: ofAnswers(judge) };

function judge({ page, uploadByGet, uploadByPost }: Answers): Outcome {
  const where = new URL(uploadUrl(page)).pathname;
  if (isGuards(uploadByGet, 405)) {
    // Only Guard refuses an upload without a type in this way.
    if (isGuards(uploadByPost, 415)) return ok(`${where} leads to Guard, by GET and POST`);
    return lost(`POST ${where} does not come to Guard: ${said(uploadByPost)}`);
  }
  if (!isChallengePage(page) && isGuards(uploadByGet, 404)) {
    return unchecked(`${where} is not served here; with a remote validator that is meant`);
  }
  return lost(`${where} does not lead to Guard: ${said(uploadByGet)}`);
}

function lost(found: string): Outcome {
  return problem(
    found,
    'The challenge page cannot upload what it read, so nobody passes.',
    'Send every path below /.guard/ to Guard, with every method, in front of other rules of the proxy.',
  );
}

/** A bare answer of Guard's collector: proxies put a page of their own into theirs. */
function isGuards(answer: Exchange, status: 404 | 405 | 415): boolean {
  return answer.kind === 'answered' && answer.status === status && answer.body === '';
}

function said(answer: Exchange): string {
  return answer.kind === 'answered' ? `answered ${answer.status}` : answer.why;
}
