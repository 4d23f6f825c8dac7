import { whyNoLetIn, letInOptions } from '@guard/config/plain-words/let-in';
import type { WholeEvent } from '@guard/config/plain-words/whole-event';
import { useState } from 'preact/hooks';
import { CopyButton } from '../parts/copy-button.tsx';
import { Replay } from './replay.tsx';

/**
 * The part "Let this visitor in": the viewer chooses the scope, and sees the change of guard.yaml and its effect on
 * other requests.
 */
export function LetIn({ event }: { readonly event: WholeEvent }) {
  const options = letInOptions(event);
  const [chosen, setChosen] = useState(0);
  const [isTried, setTried] = useState(false);
  const option = options[chosen];
  const limit = whyNoLetIn(event);
  if (option === undefined) return limit === '' ? null : <p class="about">{limit}</p>;
  return (
    <section class="let-in">
      <h3>Let this visitor in</h3>
      <p class="about">
        {limit === ''
          ? 'Nothing is changed here. You see what to paste into guard.yaml, and what else it would change.'
          : limit}
      </p>
      <fieldset>
        <legend>Let in</legend>
        {options.map(({ kind, visitors, value }, at) => (
          <label key={`${kind} ${value}`} class="tick">
            <input
              type="radio"
              name="let-in"
              checked={at === chosen}
              onChange={() => {
                setChosen(at);
                setTried(false);
              }}
            />{' '}
            {visitors} <code>{value}</code>
          </label>
        ))}
      </fieldset>
      <p>
        {option.change === undefined ? null : (
          <button type="button" class="main" onClick={() => setTried(true)}>
            Show the change
          </button>
        )}{' '}
        <CopyButton text={option.value} label="Copy value" />
      </p>
      {option.command === '' ? null : (
        <p>
          {option.change === undefined ? 'For' : 'Or for'} a day, in all instances and without a
          change of guard.yaml: <code>{option.command}</code>{' '}
          <CopyButton text={option.command} label="Copy command" />
        </p>
      )}
      {isTried && option.change !== undefined ? (
        <Replay
          title={`${option.visitors} ${option.value}`}
          change={option.change}
          close={() => setTried(false)}
        />
      ) : null}
    </section>
  );
}
