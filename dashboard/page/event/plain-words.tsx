import { adviceOf, NO_OTHERS, othersOf } from '@guard/config/plain-words/advice';
import type { WholeEvent } from '@guard/config/plain-words/whole-event';
import { useContext } from 'preact/hooks';
import { SignedIn } from '../data/signed-in.ts';

/** For the person who answers a visitor: which other visitors can get this reason, and what the visitor can do. */
export function PlainWords({ event }: { readonly event: WholeEvent }) {
  const { me } = useContext(SignedIn);
  const others = othersOf(event, me.reasons);
  return (
    <section class="plain-words">
      <h3>Who else can have this</h3>
      {others.length === 0 ? (
        <p>{NO_OTHERS}</p>
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
        {adviceOf(event, me.reasons).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
    </section>
  );
}
