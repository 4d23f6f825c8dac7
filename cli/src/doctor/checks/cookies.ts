import type { Answers } from '../evidence.ts';
import { fieldsOf } from '../exchange.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../finding.ts';
import { sessionCookie } from '../guard-page.ts';
import { signOfCache } from '../kept-in-front.ts';
import { type Check, ofChallengePage } from './check.ts';

const WITHOUT = 'Without it no visitor can pass the challenge: it is shown for ever (contract 3).';

/** Whether the session cookie survives, out to the visitor and back to Guard (contract 2.3). */
export const cookies: Check = { name: 'cookies', judge: ofChallengePage(judge) };

function judge(answers: Answers): Outcome {
  const { page, returning } = answers;
  const line = fieldsOf(page, 'set-cookie').find((one) => one.startsWith('_guard='));
  if (line === undefined) {
    return problem(
      'the challenge page came without its _guard cookie',
      WITHOUT,
      'Let Set-Cookie through: no proxy_hide_header, and no cookie filter of a CDN on this path.',
    );
  }
  const lost = ['max-age', 'path', 'samesite'].filter((name) => !attributesOf(line).has(name));
  if (lost.length > 0) {
    return warning(
      `the _guard cookie has lost ${lost.join(', ')}`,
      'Without Max-Age it ends with the browser window, and each visit begins with a challenge.',
      'Let Set-Cookie through as it came.',
    );
  }
  if (returning === undefined || returning.kind === 'failed' || signOfCache(answers)) {
    return unchecked('the cookie comes out; whether it comes back to Guard could not be seen');
  }
  if (sessionCookie(returning) !== undefined) {
    return problem(
      'Guard gave a new session to a visitor who sent one',
      WITHOUT,
      'Let the Cookie header through to Guard, with every cookie in it.',
    );
  }
  return ok('the _guard cookie comes out whole, and comes back to Guard');
}

function attributesOf(line: string): ReadonlySet<string> {
  const [, ...attributes] = line.split(';');
  return new Set(attributes.map((one) => (one.split('=', 1)[0] ?? '').trim().toLowerCase()));
}
