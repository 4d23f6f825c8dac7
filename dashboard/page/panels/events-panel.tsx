import { useState } from 'preact/hooks';
import { useNavigation } from '../navigation.tsx';
import { Link } from '../parts/link.tsx';
import { QueryPanel } from '../parts/panel.tsx';
import { num, text } from '@guard/config/plain-words/cells';
import { events, PAGE_ROWS, sessions } from '../sql/events.ts';
import { eventOfRow, EventList } from './event-list.tsx';
import { LiveTail } from './live-tail.tsx';
import { SessionList } from './session-list.tsx';

export function EventsPanel() {
  const { state, scope, go } = useNavigation();
  const [live, setLive] = useState(false);
  const tools = (
    <>
      <label class="tick">
        <input
          type="checkbox"
          checked={state.grouped}
          disabled={live}
          onChange={({ currentTarget }) => go({ grouped: currentTarget.checked, before: '' })}
        />{' '}
        By session
      </label>
      <label class="tick">
        <input
          type="checkbox"
          checked={live}
          onChange={({ currentTarget }) => setLive(currentTarget.checked)}
        />{' '}
        Live
      </label>
    </>
  );
  if (live) return <LiveTail tools={tools} />;
  if (state.grouped) {
    return (
      <QueryPanel
        title="Sessions"
        about="The one that was seen last comes first."
        sql={sessions(scope, state.before)}
        empty="No more sessions in this period."
        tools={tools}
      >
        {({ rows }) => {
          const last = rows.length === PAGE_ROWS ? rows.at(-1) : undefined;
          return (
            <>
              <SessionList rows={rows} />
              <Pages older={last === undefined ? '' : `${num(last[5])}.${text(last[13])}`} />
            </>
          );
        }}
      </QueryPanel>
    );
  }
  return (
    <QueryPanel
      title="Events"
      about="The newest comes first."
      sql={events(scope, state.before)}
      empty="No more events in this period."
      tools={tools}
    >
      {({ rows }) => {
        const last = rows.length === PAGE_ROWS ? rows.at(-1) : undefined;
        return (
          <>
            <EventList events={rows.map(eventOfRow)} />
            <Pages older={last === undefined ? '' : `${num(last[0])}.${text(last[1])}`} />
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
