import type { Answers, Evidence } from '../evidence.ts';
import { fieldsOf } from '../../exchange/exchange.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../outcome.ts';
import { denialOf, isChallengePage, nonceOf, sessionCookie } from '../guard-page.ts';
import { cacheSign } from '../kept-in-front.ts';
import { type Check, judgeAnswers, judgeChallengePage } from './check.ts';

/** Whether the challenge page reaches its visitor with its original status (contract 3). */
export const challengeStatus: Check = {
  name: 'challenge status',
  judge: judgeAnswers(judgeStatus),
};

function judgeStatus({ url, page, problem: programAnswer }: Answers, { seen }: Evidence): Outcome {
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
    denialOf(programAnswer)?.code === 'challenge_required' ||
    (seen.kind === 'seen' && seen.requests.some(({ action }) => action === 'challenge'));
  if (wasChallenged) {
    return problem(
      `Guard sent a challenge, and another page arrived (status ${status})`,
      'A visitor cannot pass a challenge that is not shown.',
      'Let the proxy serve answers of 403 as they are: no error_page, proxy_intercept_errors or custom error pages.',
    );
  }
  const code = denialOf(programAnswer)?.code;
  return unchecked(
    code === undefined
      ? `${url} answers ${status}, without a challenge`
      : `Guard answers this machine with ${code}, not with a challenge`,
    'Name a URL that a rule challenges or detects for.',
  );
}

const ADVICE_NO_CACHE =
  'Let the CDN or proxy honour Cache-Control: no-store, and never keep a 403 or an answer with Set-Cookie.';

/** Whether a cache in front of Guard stores challenges and gives one visitor's challenge to another. */
export const caching: Check = { name: 'caching', judge: judgeChallengePage(judgeCaching) };

function judgeCaching(answers: Answers): Outcome {
  const { page, again } = answers;
  const isSame = again.kind === 'answered' && again.body === page.body;
  const sign = isSame ? 'the same page came twice' : cacheSign(answers);
  if (sign !== undefined) {
    return problem(
      `a cache in front keeps challenge pages (${sign})`,
      'A challenge works once, for one visitor. The next visitor who gets the same page cannot pass.',
      ADVICE_NO_CACHE,
    );
  }
  const control = fieldsOf(page, 'cache-control').join(', ');
  if (/\bno-store\b/i.test(control)) return ok('two requests got two challenges, with no-store');
  return warning(
    `Cache-Control is ${control === '' ? 'gone' : control.slice(0, 80)}`,
    'Guard says no-store. Without it browsers and caches may keep the challenge.',
    ADVICE_NO_CACHE,
  );
}

const WHY_COOKIE =
  'Without this cookie no visitor can pass the challenge: the page is shown for ever (contract 3).';

/** Whether the session cookie reaches the visitor and is sent back to Guard (contract 2.3). */
export const cookies: Check = { name: 'cookies', judge: judgeChallengePage(judgeCookies) };

function judgeCookies(answers: Answers): Outcome {
  const { page, returning } = answers;
  const line = fieldsOf(page, 'set-cookie').find((field) => field.startsWith('_guard='));
  if (line === undefined) {
    return problem(
      'the challenge page came without its _guard cookie',
      WHY_COOKIE,
      'Let Set-Cookie through: no proxy_hide_header, and no cookie filter of a CDN on this path.',
    );
  }
  const lostAttributes = ['max-age', 'path', 'samesite'].filter(
    (name) => !attributeNames(line).has(name),
  );
  if (lostAttributes.length > 0) {
    return warning(
      `the _guard cookie has lost ${lostAttributes.join(', ')}`,
      'Without Max-Age the cookie ends with the browser window, and each visit begins with a challenge.',
      'Let Set-Cookie through as it came.',
    );
  }
  if (returning === undefined || returning.kind === 'failed' || cacheSign(answers)) {
    return unchecked(
      'the cookie reaches the visitor; doctor could not see whether it comes back to Guard',
    );
  }
  if (sessionCookie(returning) !== undefined) {
    return problem(
      'Guard gave a new session to a visitor who sent one',
      WHY_COOKIE,
      'Let the Cookie header through to Guard, with every cookie in it.',
    );
  }
  return ok('the _guard cookie reaches the visitor whole, and comes back to Guard');
}

function attributeNames(line: string): ReadonlySet<string> {
  const [, ...attributes] = line.split(';');
  return new Set(
    attributes.map((attribute) => (attribute.split('=', 1)[0] ?? '').trim().toLowerCase()),
  );
}

/** Directives (CSP 3, 6) with which another policy breaks the challenge page. */
const BREAKING_DIRECTIVES =
  /^\s*(default-src|script-src|style-src|connect-src|worker-src|child-src|frame-src|sandbox|require-trusted-types-for)/i;

/** Whether the page's Content-Security-Policy arrives, without a second policy. */
export const policy: Check = { name: 'policy', judge: judgeChallengePage(judgePolicy) };

function judgePolicy({ page }: Answers): Outcome {
  // Two header lines and one line with a comma are equal (RFC 9110 5.3), and a policy itself contains no comma.
  const policies = fieldsOf(page, 'content-security-policy').flatMap((line) => line.split(','));
  const ownPolicy = policies.find((candidate) => {
    const nonce = nonceOf(candidate);
    return nonce !== undefined && page.body.includes(`"${nonce}"`);
  });
  if (ownPolicy === undefined) {
    return problem(
      policies.length === 0
        ? 'the Content-Security-Policy of the challenge page is gone'
        : 'the Content-Security-Policy does not fit the challenge page',
      'Browsers refuse the script of the page, or run any script that is put into it.',
      'Let the header of Guard through, and do not replace it.',
    );
  }
  const addedPolicies = policies.filter(
    (candidate) =>
      candidate !== ownPolicy && candidate.split(';').some((d) => BREAKING_DIRECTIVES.test(d)),
  );
  const [breakingPolicy] = addedPolicies;
  if (breakingPolicy === undefined)
    return ok('the policy of the page arrives, and nothing narrows it');
  return problem(
    `a second Content-Security-Policy was added: ${breakingPolicy.trim().slice(0, 80)}`,
    'Browsers obey both, so the script of the challenge page does not run, and no visitor passes.',
    'Let your site send its policy instead of the proxy, or leave answers of 403 alone.',
  );
}

const ADVICE_NO_REWRITE =
  'Switch off what rewrites HTML (minify, Rocket Loader, sub_filter, injected analytics) for answers of 403, or everywhere.';

/** Whether the challenge page arrives unchanged. */
export const pageUnchanged: Check = { name: 'page', judge: judgeChallengePage(judgePage) };

function judgePage({ page }: Answers): Outcome {
  const { body } = page;
  const nonce = fieldsOf(page, 'content-security-policy').map(nonceOf).find(Boolean) ?? '';
  const tags = body.match(/<(?:script|style)\b[^>]*>/gi) ?? [];
  const foreignTag = tags.find((tag) => !isOwnTag(tag, nonce));
  if (nonce !== '' && foreignTag !== undefined) {
    return problem(
      `the page was changed on the way: it has ${foreignTag.slice(0, 80)}`,
      'Its policy forbids what Guard did not write, and a changed script may never finish.',
      ADVICE_NO_REWRITE,
    );
  }
  if (!/<\/html>\s*$/i.test(body)) {
    return problem(
      /<\/html>/i.test(body)
        ? 'something was put after the end of the page'
        : 'the page is cut off before its end',
      'The script at its end may not run, so no visitor passes.',
      ADVICE_NO_REWRITE,
    );
  }
  if (!/^<!doctype html>\s*\n/i.test(body)) {
    return warning(
      'the white space of the page was taken out, as minifiers do',
      'A script that is rewritten on the way is another script than the one that was tested.',
      ADVICE_NO_REWRITE,
    );
  }
  const coding = fieldsOf(page, 'content-encoding').join(', ');
  return ok(`arrives as it was written${coding === '' ? '' : `, compressed (${coding})`}`);
}

/**
 * Whether a tag is Guard's own. A script of Guard has exactly these attributes. A tag with another `type` or with `src`
 * was changed by another server.
 */
function isOwnTag(tag: string, nonce: string): boolean {
  if (/^<style/i.test(tag)) return tag.includes(` nonce="${nonce}"`);
  // The script with a `type` is also Guard's: it contains the hidden screens, and browsers do not run it.
  return (
    tag === `<script nonce="${nonce}">` || tag === `<script type="text/html" nonce="${nonce}">`
  );
}
