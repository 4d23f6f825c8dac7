import type { Knowledge } from './facts.ts';
import { isUnanswered, type WholeEvent } from './whole-event.ts';

type Reasons = Knowledge['reasons'];

/** A text about the people who can have this finding by accident. Empty when no such people are known. */
export function falsePositivesOf(
  { reasons, findings }: WholeEvent,
  reasonFacts: Reasons,
): { readonly name: string; readonly who: string }[] {
  const names = new Set([...reasons, ...findings.map(({ name }) => name)]);
  return [...names].flatMap((name) => {
    const who = reasonFacts[name]?.others ?? '';
    return who === '' ? [] : [{ name, who }];
  });
}

export const NO_KNOWN_FALSE_POSITIVES = 'Nothing is known of people who have this by accident.';

/** What the visitor can do, in at least one sentence. */
export function adviceOf(event: WholeEvent, reasonFacts: Reasons): string[] {
  const { action, reasons } = event;
  const advice: string[] = [];
  const categories = new Set(reasons.map((name) => reasonFacts[name]?.category));
  if (action === 'limited' || event.yes('rate_limited')) {
    advice.push('Wait a little and try again: the limit is for a short time.');
  }
  if (action === 'challenge') {
    advice.push('Let the page finish, with JavaScript and cookies switched on. It needs no click.');
  }
  if (categories.has('suspicious_network')) {
    advice.push('Switch off a VPN or proxy, or try another network, such as mobile data.');
  }
  if (
    ['fingerprint_mismatch', 'header_anomaly', 'automated_browser'].some((category) =>
      categories.has(category),
    )
  ) {
    advice.push(
      'Use an up-to-date browser, without extensions that change what it says about itself.',
    );
  }
  if (categories.has('challenge_failure')) {
    advice.push(
      'Load the page again, with cookies switched on, and leave it open until it goes on.',
    );
  }
  if (reasons.includes('policy_block')) {
    advice.push('Nothing: a rule of the site blocks this request. Only you can change that.');
  }
  if (isUnanswered(event)) advice.push('Try again in a few minutes: the site gave no answer.');
  else if (action === 'allow') advice.push('Nothing: this request was let through.');
  return advice.length === 0
    ? ['Try again with another browser or network, or ask you to let the visitor in.']
    : advice;
}
