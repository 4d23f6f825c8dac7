import type { ReplayAnswer } from '@guard/config/contract/replay';
import type { LetInChange } from '@guard/config/plain-words/let-in';
import { request } from '../data/query.ts';
import { useAnswer } from '../data/use-answer.ts';
import { announce } from '../parts/announcer.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { RequestState } from '../parts/panel.tsx';
import { verdictWord } from '../parts/verdict.tsx';
import { count, duration, fullTime, plural } from '../text/format.ts';
import { SmallButton } from '../parts/small-button.tsx';

/** A change of the settings to try on past events. */
type Change = LetInChange | { readonly kind: 'without_rule'; readonly rule: string };

interface Props {
  readonly title: string;
  readonly change: Change;
  readonly close: () => void;
}

/** Shows what a change of the settings would have changed in the last 24 hours. */
export function Replay({ title, change, close }: Props) {
  const replay = useReplay(change);
  return (
    <div class="replay" role="region" aria-label={title}>
      <h3>{title}</h3>
      <RequestState
        request={replay}
        loading="Judging the last 24 hours again. This takes up to 20 seconds …"
      />
      {replay.state === 'ready' ? <Result answer={replay.answer} /> : null}
      <SmallButton onClick={close}>Close</SmallButton>
    </div>
  );
}

function useReplay(change: Change) {
  const body = JSON.stringify({ change, hours: 24 });
  return useAnswer(
    async (signal) => {
      const headers = { 'content-type': 'application/json' };
      const response = await request('/api/replay', { method: 'POST', headers, body, signal });
      if (!response.ok) throw new Error((await response.text()).slice(0, 600));
      const answer = (await response.json()) as ReplayAnswer;
      announce(`Replay done: ${plural(answer.changed, 'request')} would change.`);
      return answer;
    },
    [body],
  );
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
