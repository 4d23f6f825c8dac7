import { num, text, texts } from '@guard/config/plain-words/cells';
import type { WholeEvent } from '@guard/config/plain-words/whole-event';
import { ask } from '../data/query.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Link } from '../parts/link.tsx';
import { RequestState } from '../parts/panel.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { timeline } from '../sql/events.ts';
import { eventTime } from '../text/format.ts';

/** Shows the visitor's earlier and later requests. */
export function Timeline({ event }: { readonly event: WholeEvent }) {
  const sql = timeline(event);
  const request = useAnswer((signal) => ask(sql, signal), [sql]);
  return (
    <section>
      <h3>
        {event.session === '' ? 'The same address and agent, ten minutes around' : 'The session'}
      </h3>
      <RequestState request={request} />
      {request.state === 'ready' ? (
        <ol class="timeline">
          {request.answer.rows.map((row) => {
            const id = text(row[1]);
            const when = eventTime(num(row[0]), event.atMs);
            return (
              <li key={id} class={id === event.requestId ? 'here' : ''}>
                {id === event.requestId ? (
                  <strong>{when}</strong>
                ) : (
                  <Link to={{ event: id, reference: '' }}>{when}</Link>
                )}{' '}
                <Verdict verdict={text(row[2])} />{' '}
                <span class="path">
                  {text(row[5])} {text(row[6])}
                </span>{' '}
                <span class="note">
                  {[
                    text(row[7]),
                    text(row[8]) === 'none' ? '' : `challenge ${text(row[8])}`,
                    ...texts(row[4]),
                  ]
                    .filter((part) => part !== '')
                    .join(' · ')}
                </span>
              </li>
            );
          })}
        </ol>
      ) : null}
      {request.state === 'ready' && request.answer.rows.length === 100 ? (
        <p class="about">The first 100 are shown.</p>
      ) : null}
    </section>
  );
}
