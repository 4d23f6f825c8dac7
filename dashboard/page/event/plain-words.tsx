import { useContext } from 'preact/hooks';
import { SignedIn } from '../data/signed-in.ts';
import type { WholeEvent } from './whole-event.ts';

/** For the person who answers a visitor: who else can have this, and what the visitor can do. */
export function PlainWords({ event }: { readonly event: WholeEvent }) {
  const { me } = useContext(SignedIn);
  const names = [...new Set([...event.reasons, ...event.findings.map(({ name }) => name)])];
  const others = names.flatMap((name) => {
    const words = me.reasons[name]?.others;
    return words === undefined || words === '' ? [] : [{ name, words }];
  });
  return (
    <section class="plain-words">
      <h3>Who else can have this</h3>
      {others.length === 0 ? (
        <p>Nothing is known of people who have this by accident.</p>
      ) : (
        <ul>
          {others.map(({ name, words }) => (
            <li key={name}>
              {words} <span class="note">{name}</span>
            </li>
          ))}
        </ul>
      )}
      <h3>What the visitor can do</h3>
      <ul>
        {adviceOf(event, (name) => me.reasons[name]?.category ?? '').map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
    </section>
  );
}

function adviceOf(event: WholeEvent, categoryOf: (reason: string) => string): string[] {
  const { action, reasons } = event;
  const advice: string[] = [];
  const categories = new Set(reasons.map(categoryOf));
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
    ['fingerprint_mismatch', 'header_anomaly', 'automated_browser'].some((one) =>
      categories.has(one),
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
  if (action === 'allow') advice.push('Nothing: this request was let through.');
  return advice.length === 0
    ? ['Try again with another browser or network, or ask you to be let in.']
    : advice;
}
