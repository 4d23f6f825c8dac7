import type { Answers } from '../evidence.ts';
import { fieldsOf } from '../exchange.ts';
import { ok, type Outcome, problem, warning } from '../finding.ts';
import { nonceOf } from '../guard-page.ts';
import { type Check, ofChallengePage } from './check.ts';

const ADVICE =
  'Switch off what rewrites HTML (minify, Rocket Loader, sub_filter, injected analytics) for answers of 403, or everywhere.';

/** Whether the challenge page arrives as Guard wrote it. */
export const pageUnchanged: Check = { name: 'page', judge: ofChallengePage(judge) };

function judge({ page }: Answers): Outcome {
  const { body } = page;
  const nonce = fieldsOf(page, 'content-security-policy').map(nonceOf).find(Boolean) ?? '';
  const tags = body.match(/<(?:script|style)\b[^>]*>/gi) ?? [];
  const strange = tags.find((tag) => !isOwn(tag, nonce));
  if (nonce !== '' && strange !== undefined) {
    return problem(
      `the page was changed on the way: it has ${strange.slice(0, 80)}`,
      'Its policy forbids what Guard did not write, and a changed script may never finish.',
      ADVICE,
    );
  }
  if (!/<\/html>\s*$/i.test(body)) {
    return problem(
      /<\/html>/i.test(body)
        ? 'something was put behind the end of the page'
        : 'the page is cut off before its end',
      'The script at its end may not run, so nobody passes.',
      ADVICE,
    );
  }
  if (!/^<!doctype html>\s*\n/i.test(body)) {
    return warning(
      'the white space of the page was taken out, as minifiers do',
      'A script that is rewritten on the way is another script than the one that was tested.',
      ADVICE,
    );
  }
  const coding = fieldsOf(page, 'content-encoding').join(', ');
  return ok(`arrives as it was written${coding === '' ? '' : `, compressed (${coding})`}`);
}

/** `nonce` and nothing else on a script: a `type` or `src` says that somebody else will run it. */
function isOwn(tag: string, nonce: string): boolean {
  return /^<style/i.test(tag)
    ? tag.includes(` nonce="${nonce}"`)
    : tag === `<script nonce="${nonce}">`;
}
