import type { Answers, Evidence } from '../evidence.ts';
import { fieldsOf } from '../exchange.ts';
import { ok, type Outcome, problem, unchecked } from '../finding.ts';
import { type Check, ofAnswers } from './check.ts';

/** Whether Guard knows that its visitors come by https. */
export const scheme: Check = { name: 'scheme', judge: ofAnswers(judge) };

function judge({ url, page }: Answers, { seen }: Evidence): Outcome {
  const wanted = new URL(url).protocol.replace(':', '');
  const recorded = seen.kind === 'seen' ? seen.requests[0]?.scheme : undefined;
  const cookie = fieldsOf(page, 'set-cookie').find((line) => line.startsWith('_guard='));
  const shown = cookie === undefined ? undefined : /;\s*secure/i.test(cookie) ? 'https' : 'http';
  const taken = recorded ?? shown;
  if (taken === undefined) return unchecked('no session cookie was set, and Guard was not asked');
  if (taken === wanted) return ok(`Guard knows that it is ${wanted}`);
  return problem(
    `the visitor comes by ${wanted}, and Guard takes it for ${taken}`,
    'The session cookie gets the wrong attributes, and Guard expects other headers than browsers send.',
    'Let the proxy set X-Forwarded-Proto, and name it in trusted_proxies.',
  );
}
