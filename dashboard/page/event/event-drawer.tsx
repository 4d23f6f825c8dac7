import { type WholeEvent, wholeEvent } from '@guard/config/plain-words/whole-event';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../data/query.ts';
import { useAnswer } from '../data/use-answer.ts';
import { useNavigation } from '../navigation.tsx';
import { Link } from '../parts/link.tsx';
import { RequestState } from '../parts/panel.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { byReference, oneEvent } from '../sql/events.ts';
import { fullTime, plural } from '../text/format.ts';
import { EventInFull } from './event-in-full.tsx';

/** Shows one event, or the result for a reference code, beside the page. */
export function EventDrawer() {
  const { state, go } = useNavigation();
  const { event, reference } = state;
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = event !== '' || reference !== '';
  useEffect(() => {
    const { current } = dialog;
    if (isOpen && current?.open === false) current.showModal();
    if (!isOpen && current?.open === true) current.close();
  }, [isOpen]);
  const close = (): void => go({ event: '', reference: '' });
  return (
    <dialog
      ref={dialog}
      class="drawer"
      aria-label={reference === '' ? 'Event' : `Reference ${reference}`}
      onCancel={(cancelled) => {
        cancelled.preventDefault();
        close();
      }}
      onClick={({ target }) => {
        if (target === dialog.current) close();
      }}
    >
      {isOpen ? (
        <div class="drawer-inside">
          <button type="button" class="small close" onClick={close}>
            Close
          </button>
          {event === '' ? (
            <Reference code={reference} key={reference} />
          ) : (
            <Single id={event} key={event} />
          )}
        </div>
      ) : null}
    </dialog>
  );
}

interface EventsProps {
  readonly title: ComponentChildren;
  readonly empty: string;
  readonly plain: boolean;
  readonly statement: (now: number) => string;
}

function Events({ title, empty, plain, statement }: EventsProps) {
  const { now } = useNavigation();
  // The statement does not change while the panel is open, so it runs only once.
  const [sql] = useState(() => statement(now));
  const request = useAnswer((signal) => ask(sql, signal), [sql]);
  const { columns, rows } = request.state === 'ready' ? request.answer : { columns: [], rows: [] };
  const [event, ...others] = rows.map((row) =>
    wholeEvent((column) => row[columns.indexOf(column)]),
  );
  return (
    <>
      <h2>{title}</h2>
      <RequestState request={request} />
      {request.state === 'ready' && event === undefined ? <p class="empty">{empty}</p> : null}
      {event === undefined ? null : <EventInFull event={event} plain={plain} />}
      <Others events={others} />
      <p>
        <CopyButton text={sql} label="Copy SQL" />
      </p>
    </>
  );
}

function Single({ id }: { readonly id: string }) {
  return (
    <Events
      title="Event"
      empty="No event has this request id. Rows are kept for 90 days."
      plain={false}
      statement={(now) => oneEvent(id, now)}
    />
  );
}

function Reference({ code }: { readonly code: string }) {
  return (
    <Events
      title={
        <>
          Reference <code>{code}</code>
        </>
      }
      empty="No event has this code. Codes have eight letters and digits; rows are kept for 90 days, and a new one is there after a second or two."
      plain
      statement={(now) => byReference(code, now)}
    />
  );
}

function Others({ events }: { readonly events: readonly WholeEvent[] }) {
  if (events.length === 0) return null;
  return (
    <>
      <h3>{plural(events.length, 'earlier event')} with this code</h3>
      <ul class="plain-list">
        {events.map(({ requestId, atMs }) => (
          <li key={requestId}>
            <Link to={{ event: requestId }}>{fullTime(atMs)}</Link>
          </li>
        ))}
      </ul>
    </>
  );
}
