import type { Answers, Evidence } from '../evidence.ts';
import { fieldsOf } from '../../exchange/exchange.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../finding.ts';
import { denialOf, isChallengePage, nonceOf, sessionCookie } from '../guard-page.ts';
import { signOfCache } from '../kept-in-front.ts';
import { type Check, ofAnswers, ofChallengePage } from './check.ts';

/** Whether the challenge page reaches its visitor with its original status (contract 3). */
export const challengeStatus: Check = { name: 'challenge status', judge: ofAnswers(judgeStatus) };

function judgeStatus({ url, page, problem: asProgram }: Answers, { seen }: Evidence): Outcome {
  const { status } = page;
  if (isChallengePage(page)) {
    if (status >= 400) return ok(`a challenge comes with ${status}`);
    return problem(
      `a challenge comes with ${status}`,
      'Caches keep it, and crawlers take it for the page of your site.',
      'Find what changes the status in front of Guard, and switch it off. Guard sends 403, or the status of the rule.',
    );
  }
  const wasChallenged =
    denialOf(asProgram)?.code === 'challenge_required' ||
    (seen.kind === 'seen' && seen.requests.some(({ action }) => action === 'challenge'));
  if (wasChallenged) {
    return problem(
      `Guard sent a challenge, and another page arrived (status ${status})`,
      'A visitor cannot pass a challenge that is not shown.',
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

const KEEP_NO_CHALLENGE =
  'Let the CDN or proxy honour Cache-Control: no-store, and never keep a 403 or an answer with Set-Cookie.';

/** Whether a cache in front stores challenges and gives one visitor's challenge to another. */
export const caching: Check = { name: 'caching', judge: ofChallengePage(judgeCaching) };

function judgeCaching(answers: Answers): Outcome {
  const { page, again } = answers;
  const isSame = again.kind === 'answered' && again.body === page.body;
  const sign = isSame ? 'the same page came twice' : signOfCache(answers);
  if (sign !== undefined) {
    return problem(
      `a cache in front keeps challenge pages (${sign})`,
      'A challenge is for one visitor and one time: the next one who gets it cannot pass.',
      KEEP_NO_CHALLENGE,
    );
  }
  const control = fieldsOf(page, 'cache-control').join(', ');
  if (/\bno-store\b/i.test(control)) return ok('two requests got two challenges, with no-store');
  return warning(
    `Cache-Control is ${control === '' ? 'gone' : control.slice(0, 80)}`,
    'Guard says no-store. Without it browsers and caches may keep the challenge.',
    KEEP_NO_CHALLENGE,
  );
}

const WITHOUT = 'Without it no visitor can pass the challenge: it is shown for ever (contract 3).';

/** Whether the session cookie reaches the visitor and comes back to Guard (contract 2.3). */
export const cookies: Check = { name: 'cookies', judge: ofChallengePage(judgeCookies) };

function judgeCookies(answers: Answers): Outcome {
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

/** Directives (CSP 3, 6) with which another policy breaks the challenge page. */
const STOPPING =
  /^\s*(default-src|script-src|style-src|connect-src|worker-src|child-src|frame-src|sandbox|require-trusted-types-for)/i;

/** Whether the page's Content-Security-Policy arrives, without a second one. */
export const policy: Check = { name: 'policy', judge: ofChallengePage(judgePolicy) };

function judgePolicy({ page }: Answers): Outcome {
  // Two header lines and one line with a comma are equal (RFC 9110 5.3), and a policy contains no comma.
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
      'Browsers refuse the script of the page, or run any script that is put into it.',
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
    'Browsers obey both, so the script of the challenge page does not run, and no visitor passes.',
    'Let your site send its policy instead of the proxy, or leave answers of 403 alone.',
  );
}

const REWRITE_NOTHING =
  'Switch off what rewrites HTML (minify, Rocket Loader, sub_filter, injected analytics) for answers of 403, or everywhere.';

/** Whether the challenge page arrives unchanged. */
export const pageUnchanged: Check = { name: 'page', judge: ofChallengePage(judgePage) };

function judgePage({ page }: Answers): Outcome {
  const { body } = page;
  const nonce = fieldsOf(page, 'content-security-policy').map(nonceOf).find(Boolean) ?? '';
  const tags = body.match(/<(?:script|style)\b[^>]*>/gi) ?? [];
  const strange = tags.find((tag) => !isOwn(tag, nonce));
  if (nonce !== '' && strange !== undefined) {
    return problem(
      `the page was changed on the way: it has ${strange.slice(0, 80)}`,
      'Its policy forbids what Guard did not write, and a changed script may never finish.',
      REWRITE_NOTHING,
    );
  }
  if (!/<\/html>\s*$/i.test(body)) {
    return problem(
      /<\/html>/i.test(body)
        ? 'something was put behind the end of the page'
        : 'the page is cut off before its end',
      'The script at its end may not run, so no visitor passes.',
      REWRITE_NOTHING,
    );
  }
  if (!/^<!doctype html>\s*\n/i.test(body)) {
    return warning(
      'the white space of the page was taken out, as minifiers do',
      'A script that is rewritten on the way is another script than the one that was tested.',
      REWRITE_NOTHING,
    );
  }
  const coding = fieldsOf(page, 'content-encoding').join(', ');
  return ok(`arrives as it was written${coding === '' ? '' : `, compressed (${coding})`}`);
}

/** A script of Guard has exactly these attributes. With another `type` or with `src` another program would run it. */
function isOwn(tag: string, nonce: string): boolean {
  if (/^<style/i.test(tag)) return tag.includes(` nonce="${nonce}"`);
  // The second one contains the hidden screens, and browsers do not run it.
  return (
    tag === `<script nonce="${nonce}">` || tag === `<script type="text/html" nonce="${nonce}">`
  );
}
