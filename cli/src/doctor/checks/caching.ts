import type { Answers } from '../evidence.ts';
import { fieldsOf } from '../exchange.ts';
import { ok, type Outcome, problem, warning } from '../finding.ts';
import { signOfCache } from '../kept-in-front.ts';
import { type Check, ofChallengePage } from './check.ts';

const ADVICE =
  'Let the CDN or proxy honour Cache-Control: no-store, and never keep a 403 or an answer with Set-Cookie.';

/** Whether a cache in front keeps challenges, and hands one visitor's to the next. */
export const caching: Check = { name: 'caching', judge: ofChallengePage(judge) };

function judge(answers: Answers): Outcome {
  const { page, again } = answers;
  const isSame = again.kind === 'answered' && again.body === page.body;
  const sign = isSame ? 'the same page came twice' : signOfCache(answers);
  if (sign !== undefined) {
    return problem(
      `a cache in front keeps challenge pages (${sign})`,
      'A challenge is for one visitor and one time: the next one who gets it cannot pass.',
      ADVICE,
    );
  }
  const control = fieldsOf(page, 'cache-control').join(', ');
  if (/\bno-store\b/i.test(control)) return ok('two requests got two challenges, with no-store');
  return warning(
    `Cache-Control is ${control === '' ? 'gone' : control.slice(0, 80)}`,
    'Guard says no-store. Without it browsers and caches may keep the challenge.',
    ADVICE,
  );
}
