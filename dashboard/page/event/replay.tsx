import type { ReplayAnswer } from '@guard/config/contract/replay';
import type { LetInChange } from '@guard/config/plain-words/let-in';
import { useContext, useEffect, useState } from 'preact/hooks';
import { SignedIn } from '../data/signed-in.ts';
import { messageOf } from '../data/use-query.ts';
import { announce } from '../parts/announcer.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Failed, Loading } from '../parts/panel.tsx';
import { verdictWord } from '../parts/verdict.tsx';
import { count, duration, fullTime, plural } from '../text/format.ts';
import { SmallButton } from '../parts/small-button.tsx';

/** A change of the settings to try on past events. */
type Change = LetInChange | { readonly kind: 'without_rule'; readonly rule: string };

type Asked =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly answer: ReplayAnswer }
  | { readonly state: 'failed'; readonly message: string };

interface Props {
  readonly title: string;
  readonly change: Change;
  readonly close: () => void;
}

/** Shows what a change of the settings would have changed in the last 24 hours. */
export function Replay({ title, change, close }: Props) {
  const [attempt, setAttempt] = useState(0);
  const asked = useReplay(change, attempt);
  return (
    <div class="replay" role="region" aria-label={title}>
      <h3>{title}</h3>
      {asked.state === 'loading' ? (
        <Loading>Judging the last 24 hours again. This takes up to 20 seconds …</Loading>
      ) : null}
      {asked.state === 'failed' ? (
        <Failed message={asked.message} retry={() => setAttempt(attempt + 1)} />
      ) : null}
      {asked.state === 'ready' ? <Result answer={asked.answer} /> : null}
      <SmallButton onClick={close}>Close</SmallButton>
    </div>
  );
}

function useReplay(change: Change, attempt: number): Asked {
  const { signedOut } = useContext(SignedIn);
  const [asked, setAsked] = useState<Asked>({ state: 'loading' });
  const body = JSON.stringify({ change, hours: 24 });
  useEffect(() => {
    const ending = new AbortController();
    setAsked({ state: 'loading' });
    const send = async (): Promise<void> => {
      const response = await fetch('/api/replay', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: ending.signal,
      });
      if (response.status === 401) {
        signedOut();
        return;
      }
      if (!response.ok) throw new Error((await response.text()).slice(0, 600));
      const answer = (await response.json()) as ReplayAnswer;
      setAsked({ state: 'ready', answer });
      announce(`Replay done: ${plural(answer.changed, 'request')} would change.`);
    };
    send().catch((error: unknown) => {
      if (!ending.signal.aborted) setAsked({ state: 'failed', message: messageOf(error) });
    });
    return () => ending.abort();
  }, [body, attempt]);
  return asked;
}

function Result({ answer }: { readonly answer: ReplayAnswer }) {
  const { judged, sampled, from, to, changed, groups, unknown } = answer;
  const transitions = answer.transitions.filter(({ before, after }) => before !== after);
  const length =
    from === null || to === null ? '24 hours' : duration(Date.parse(to) - Date.parse(from));
  return (
    <>
      <p>{answer.where}</p>
      <pre tabIndex={0} aria-label="Change of guard.yaml">
        {answer.yaml}
      </pre>
      <CopyButton text={answer.yaml} label="Copy change" />
      <p>
        <strong>
          {changed === 0
            ? 'Nothing would have changed.'
            : `${plural(changed, 'request')} would have been decided otherwise.`}
        </strong>{' '}
        Judged again: {plural(judged, 'request')} of {length}
        {sampled === 1
          ? ''
          : `, one in ${count(sampled)}, so the numbers stand for ${count(sampled)} times as many`}
        .
      </p>
      {transitions.length === 0 ? null : (
        <ul>
          {transitions.map(({ before, after, requests }) => (
            <li key={`${before} ${after}`}>
              {plural(requests, 'request')}: {verdictWord(before)} → {verdictWord(after)}
            </li>
          ))}
        </ul>
      )}
      {groups.map((group) => (
        <GroupOf
          key={`${group.before} ${group.after} ${group.rule} ${group.reasons.join()}`}
          group={group}
        />
      ))}
      {unknown.length === 0 ? null : (
        <p class="about">What could not be judged again: {unknown.join('; ')}.</p>
      )}
    </>
  );
}

function GroupOf({ group }: { readonly group: ReplayAnswer['groups'][number] }) {
  const { before, after, rule, reasons, requests, examples } = group;
  return (
    <details>
      <summary>
        {verdictWord(before)} → {verdictWord(after)}, {plural(requests, 'request')}
        {rule === '' ? '' : `, rule “${rule}”`}
        {reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}
      </summary>
      <ul class="plain-list">
        {examples.map(({ time, ip, method, url, user_agent: agent }) => (
          <li key={`${time} ${ip} ${url}`}>
            {Number.isNaN(Date.parse(time)) ? time : fullTime(Date.parse(time))} · {ip} · {method}{' '}
            {url}
            <br />
            <span class="note">{agent}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
