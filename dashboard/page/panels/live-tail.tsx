import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { SignedIn } from '../data/signed-in.ts';
import { whoAmI } from '../data/who-am-i.ts';
import { useNavigation } from '../navigation.tsx';
import { Failed, Panel } from '../parts/panel.tsx';
import { conditionOf } from '../sql/where.ts';
import { plural } from '../text/format.ts';
import { eventOf, EventList, type ListedEvent } from './event-list.tsx';
import { SmallButton } from '../parts/small-button.tsx';

/** Maximum number of events on the page. More events would only use memory. */
const MAX_ROWS = 200;

interface Batch {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly more: number;
}

interface Tail {
  readonly events: readonly ListedEvent[];
  /** The number of events that were not shown: they came during a pause, or were too many to be sent. */
  readonly notShown: number;
}

const NONE: Tail = { events: [], notShown: 0 };

/** Shows live events, at most 20 a second. */
export function LiveTail({ tools }: { readonly tools: ComponentChildren }) {
  const { state } = useNavigation();
  const [paused, setPaused] = useState(false);
  const { tail, problem } = useTail(conditionOf(state), paused);
  return (
    <Panel
      title="Events, live"
      about="Site and filters apply here too, the period does not."
      tools={
        <>
          {tools}
          <SmallButton aria-pressed={paused} onClick={() => setPaused(!paused)}>
            {paused ? 'Continue' : 'Pause'}
          </SmallButton>
        </>
      }
    >
      {problem === '' ? null : <Failed message={problem} />}
      <p class="about">
        {paused ? 'Paused. ' : ''}
        {tail.notShown === 0 ? '' : `${plural(tail.notShown, 'more event')} not shown. `}
        {tail.events.length === 0 && problem === '' ? 'Waiting for requests …' : ''}
      </p>
      <EventList events={tail.events} />
    </Panel>
  );
}

function useTail(where: string, paused: boolean) {
  const { signedOut } = useContext(SignedIn);
  const [tail, setTail] = useState<Tail>(NONE);
  const [problem, setProblem] = useState('');
  const isPaused = useRef(paused);
  isPaused.current = paused;
  useEffect(() => {
    setTail(NONE);
    setProblem('');
    const source = new EventSource(`/api/live?where=${encodeURIComponent(where)}`);
    source.addEventListener('rows', ({ data }: MessageEvent<string>) => {
      const batch = JSON.parse(data) as Batch;
      setProblem('');
      setTail((previous) =>
        isPaused.current ? countRows(previous, batch) : addRows(previous, batch),
      );
    });
    source.addEventListener('failed', ({ data }: MessageEvent<string>) => {
      setProblem((JSON.parse(data) as { message: string }).message);
    });
    source.onerror = () => {
      const ended = source.readyState === EventSource.CLOSED;
      setProblem(
        ended
          ? 'The live view has ended. Switch it off and on again.'
          : 'The connection broke off. Trying again …',
      );
      // An EventSource does not report the status of a refused request.
      if (!ended) return;
      void whoAmI().then(({ state: signInState }) =>
        signInState === 'signed-out' ? signedOut() : undefined,
      );
    };
    source.onopen = () => setProblem('');
    return () => source.close();
  }, [where]);
  return { tail, problem };
}

function countRows({ events, notShown }: Tail, { rows, more }: Batch): Tail {
  return { events, notShown: notShown + rows.length + more };
}

function addRows({ events, notShown }: Tail, { rows, more }: Batch): Tail {
  const knownIds = new Set(events.map(({ requestId }) => requestId));
  const fresh = rows
    .map((row) => eventOf((name) => row[name], momentOf(row['created_at'])))
    .filter(({ requestId }) => !knownIds.has(requestId));
  return { events: [...fresh, ...events].slice(0, MAX_ROWS), notShown: notShown + more };
}

/** Returns the milliseconds of a UTC time in the format of the database. */
function momentOf(value: unknown): number {
  if (typeof value === 'number') return value;
  const ms = Date.parse(`${String(value).replace(' ', 'T').replace(/Z$/, '')}Z`);
  return Number.isNaN(ms) ? Date.now() : ms;
}
