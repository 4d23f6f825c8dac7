import { num, text, texts } from '@guard/config/plain-words/cells';
import type { Row } from '../data/query.ts';
import { useNavigation } from '../navigation.tsx';
import { Link } from '../parts/link.tsx';
import { Value } from '../parts/value.tsx';
import { Verdict, verdictWord } from '../parts/verdict.tsx';
import { EVENT_COLUMNS } from '../sql/events.ts';
import { eventTime } from '../text/format.ts';

export type ListedEvent = ReturnType<typeof eventOf>;

type Read = (name: string) => unknown;

export function eventOf(read: Read, atMs: number) {
  const version = num(read('browser_version'));
  return {
    atMs,
    requestId: text(read('request_id')),
    action: text(read('action')),
    decision: text(read('decision')),
    rule: text(read('rule')),
    reasons: texts(read('block_reasons')),
    crawler: text(read('crawler_name')),
    method: text(read('method')),
    host: text(read('host')),
    path: text(read('path')),
    status: num(read('status_code')),
    ip: text(read('ip')),
    country: text(read('country')),
    network: text(read('asn_name')),
    agent: text(read('user_agent')),
    browser: `${text(read('browser'))}${version === 0 ? '' : ` ${version}`}`,
    challenge: text(read('challenge')),
  };
}

const COLUMN_AT = new Map<string, number>(EVENT_COLUMNS.map((name, at) => [name, at]));

/** Converts a row of the statement `events` to an event. */
export function eventOfRow(row: Row): ListedEvent {
  return eventOf((name) => row[COLUMN_AT.get(name) ?? -1], num(row[0]));
}

export function EventList({ events }: { readonly events: readonly ListedEvent[] }) {
  return (
    <ol class="events">
      {events.map((event) => (
        <EventLine key={event.requestId} event={event} />
      ))}
    </ol>
  );
}

function EventLine({ event }: { readonly event: ListedEvent }) {
  const { now } = useNavigation();
  const { action, decision, ip, path, agent } = event;
  return (
    <li>
      <Link to={{ event: event.requestId, reference: '' }} class="when">
        <time dateTime={new Date(event.atMs).toISOString()}>{eventTime(event.atMs, now)}</time>
        <span class="only-heard"> open this event</span>
      </Link>
      <span class="what">
        <Verdict verdict={action} />
        {decision === action ? null : <span class="note">would be {verdictWord(decision)}</span>}
      </span>
      <span class="where">
        <span class="method">{event.method}</span>{' '}
        <Value field="path" value={path} shown={`${event.host}${path}`} />
      </span>
      <span class="who">
        <Value field="address" value={ip} />{' '}
        <span class="note">
          {[event.country, event.network].filter((part) => part !== '').join(' ')}
        </span>
      </span>
      <span class="program">
        <Value field="agent" value={agent} shown={nameOf(event)} />
      </span>
      <span class="why">
        {event.reasons.map((reason) => (
          <Value key={reason} field="reason" value={reason} />
        ))}
        {event.rule === '' ? null : <Value field="rule" value={event.rule} />}
      </span>
    </li>
  );
}

function nameOf({ crawler, browser, agent }: ListedEvent): string {
  if (crawler !== '') return crawler;
  return browser === '' ? agent : browser;
}
