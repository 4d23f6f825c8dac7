import { useState } from 'preact/hooks';
import { useNavigation } from '../navigation.tsx';
import { Checkbox } from '../parts/choice.tsx';
import { Link } from '../parts/link.tsx';
import { QueryPanel } from '../parts/panel.tsx';
import { num, text } from '@guard/config/plain-words/cells';
import { events, PAGE_ROWS, sessions } from '../sql/events.ts';
import { eventOfRow, EventList } from './event-list.tsx';
import { LiveTail } from './live-tail.tsx';
import type { Row } from '../data/query.ts';
import { Value } from '../parts/value.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { duration, eventTime, plural } from '../text/format.ts';

export function EventsPanel() {
  const { state, scope, go } = useNavigation();
  const [live, setLive] = useState(false);
  const tools = (
    <>
      <Checkbox
        label="By session"
        checked={state.grouped}
        disabled={live}
        change={(grouped) => go({ grouped, before: '' })}
      />
      <Checkbox label="Live" checked={live} change={setLive} />
    </>
  );
  if (live) return <LiveTail tools={tools} />;
  const { grouped, before } = state;
  // The columns with the time and the id of a row. The next page starts after them.
  const [time, id] = grouped ? [5, 13] : [0, 1];
  return (
    <QueryPanel
      key={String(grouped)}
      title={grouped ? 'Sessions' : 'Events'}
      about={grouped ? 'The one that was seen last comes first.' : 'The newest comes first.'}
      sql={grouped ? sessions(scope, before) : events(scope, before)}
      empty={`No ${before === '' ? '' : 'more '}${grouped ? 'sessions' : 'events'} in this period.`}
      tools={tools}
    >
      {({ rows }) => {
        const last = rows.length === PAGE_ROWS ? rows.at(-1) : undefined;
        return (
          <>
            {grouped ? <SessionList rows={rows} /> : <EventList events={rows.map(eventOfRow)} />}
            <Pages older={last === undefined ? '' : `${num(last[time])}.${text(last[id])}`} />
          </>
        );
      }}
    </QueryPanel>
  );
}

function Pages({ older }: { readonly older: string }) {
  const { state } = useNavigation();
  return (
    <nav class="pages" aria-label="Pages">
      {state.before === '' ? null : <Link to={{ before: '' }}>Newest</Link>}
      {older === '' ? null : <Link to={{ before: older }}>Older →</Link>}
    </nav>
  );
}

const VERDICTS = [
  ['allow', 6],
  ['challenge', 7],
  ['block', 8],
  ['limited', 9],
] as const;

/** The panel for rows of the statement `sessions`. */
function SessionList({ rows }: { readonly rows: readonly Row[] }) {
  const { now } = useNavigation();
  return (
    <ol class="events">
      {rows.map((row) => {
        const [session, first, last] = [text(row[0]), num(row[4]), num(row[5])];
        return (
          <li key={text(row[12])}>
            <Link to={{ event: text(row[12]), reference: '' }} class="when">
              <time dateTime={new Date(last).toISOString()}>{eventTime(last, now)}</time>
              <span class="only-heard"> open the last event</span>
            </Link>
            <span class="what">
              {VERDICTS.map(([verdict, column]) =>
                num(row[column]) === 0 ? null : (
                  <span key={verdict}>
                    {num(row[column])} <Verdict verdict={verdict} />{' '}
                  </span>
                ),
              )}
            </span>
            <span class="where">
              {plural(num(row[3]), 'request')} to {plural(num(row[10]), 'path')} in{' '}
              {duration(last - first)}
            </span>
            <span class="who">
              <Value field="address" value={text(row[1])} />{' '}
              <span class="note">{text(row[11])}</span>
            </span>
            <span class="program">
              <Value field="agent" value={text(row[2])} />
            </span>
            <span class="why">
              {session === '' ? (
                <span class="note">no cookie sent</span>
              ) : (
                <Value field="session" value={session} shown={`session ${session.slice(0, 8)}`} />
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
