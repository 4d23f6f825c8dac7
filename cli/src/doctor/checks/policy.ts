import type { Answers } from '../evidence.ts';
import { fieldsOf } from '../exchange.ts';
import { ok, type Outcome, problem } from '../finding.ts';
import { nonceOf } from '../guard-page.ts';
import { type Check, ofChallengePage } from './check.ts';

/** Directives (CSP 3, 6) by which a further policy stops something that the challenge page does. */
const STOPPING =
  /^\s*(default-src|script-src|style-src|connect-src|worker-src|child-src|frame-src|sandbox|require-trusted-types-for)/i;

/** Whether the page's Content-Security-Policy arrives, and alone. */
export const policy: Check = { name: 'policy', judge: ofChallengePage(judge) };

function judge({ page }: Answers): Outcome {
  // Two lines and one line with a comma are the same (RFC 9110 5.3), and no policy holds a comma.
  const policies = fieldsOf(page, 'content-security-policy').flatMap((line) => line.split(','));
  const own = policies.find((one) => {
    const nonce = nonceOf(one);
    return nonce !== undefined && page.body.includes(`"${nonce}"`);
  });
  if (own === undefined) {
    return problem(
      policies.length === 0
        ? 'the Content-Security-Policy of the challenge page is gone'
        : 'the Content-Security-Policy does not fit the challenge page',
      'Browsers refuse the script of the page, or run whatever is put into it.',
      'Let the header of Guard through, and do not replace it.',
    );
  }
  const added = policies.filter(
    (one) => one !== own && one.split(';').some((d) => STOPPING.test(d)),
  );
  const [stopping] = added;
  if (stopping === undefined) return ok('the policy of the page arrives, and nothing narrows it');
  return problem(
    `a second Content-Security-Policy was added: ${stopping.trim().slice(0, 80)}`,
    'Browsers obey both, so the script of the challenge page does not run and nobody passes.',
    'Let your site send its policy instead of the proxy, or leave answers of 403 alone.',
  );
}
