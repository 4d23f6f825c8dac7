import {
  adviceOf,
  NO_KNOWN_FALSE_POSITIVES,
  falsePositivesOf,
} from '@guard/config/plain-words/advice';
import { ruleText, sentenceOf } from '@guard/config/plain-words/what-happened';
import type { WholeEvent } from '@guard/config/plain-words/whole-event';
import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { DataTable } from '../chart/data-table.tsx';
import { SignedIn } from '../data/signed-in.ts';
import { Value } from '../parts/value.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { fullTime, micros } from '../text/format.ts';
import { Findings } from './findings.tsx';
import { LetIn } from './let-in.tsx';
import { Timeline } from './timeline.tsx';

interface Props {
  readonly event: WholeEvent;
  /** If true, plain words for the person who answers the visitor are added. */
  readonly plain: boolean;
}

export function EventInFull({ event, plain }: Props) {
  const { me } = useContext(SignedIn);
  return (
    <>
      <p class="sentence">
        <Verdict verdict={event.action} /> {sentenceOf(event, me)}
      </p>
      {plain ? <PlainWords event={event} /> : null}
      <Findings event={event} />
      <DecidingRule event={event} />
      <LetIn event={event} />
      <Facts event={event} />
      <Timeline event={event} />
      <Headers event={event} />
    </>
  );
}

function DecidingRule({ event }: { readonly event: WholeEvent }) {
  const { me } = useContext(SignedIn);
  const revision = event.text('settings_revision');
  return (
    <section>
      <h3>The rule that decided</h3>
      {event.rule === '' ? (
        <p>No rule matched.</p>
      ) : (
        <p>
          <Value field="rule" value={event.rule} />
          {ruleText(event.rule, me)}
          {event.yes('monitor') ? <span class="tag">monitor mode</span> : null}
        </p>
      )}
      {revision === '' || revision === me.revision ? null : (
        <p class="about">
          The settings have changed since: revision <code>{revision}</code> decided, the current
          revision is <code>{me.revision}</code>.
        </p>
      )}
    </section>
  );
}

function Facts({ event }: { readonly event: WholeEvent }) {
  const query = event.text('query');
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['When', fullTime(event.atMs)],
    [
      'Request',
      `${event.text('method')} ${event.text('scheme')}://${event.text('host')}${event.path}${query === '' ? '' : `?${query}`}`,
    ],
    ['Site', event.text('site')],
    [
      'Answer',
      `${event.text('status_code')}${event.text('origin_status') === '0' ? '' : `, origin ${event.text('origin_status')}`}`,
    ],
    ['Address', <Value field="address" value={event.ip} key="ip" />],
    ['Address taken from', event.text('ip_from')],
    ['Country', event.text('country')],
    [
      'Network',
      event.text('asn') === '0' ? '' : `AS${event.text('asn')} ${event.text('asn_name')}`,
    ],
    ['Agent', <Value field="agent" value={event.userAgent} key="agent" />],
    ['Claims to be', claimOf(event)],
    [
      'Crawler',
      event.text('crawler_name') === ''
        ? ''
        : `${event.text('crawler_name')}, ${event.yes('crawler_verified') ? 'verified' : 'not verified'}`,
    ],
    ['Signed agent', event.text('signed_agent')],
    ['Came from', event.text('referrer_origin')],
    [
      'Session',
      event.session === '' ? '' : <Value field="session" value={event.session} key="session" />,
    ],
    ['Session cookie', event.text('session_sent') === '' ? 'not sent' : 'sent'],
    ['Challenge', event.text('challenge')],
    ['Reference', event.text('reference')],
    ['TLS (JA4)', event.text('ja4')],
    ['HTTP/2', event.text('http2')],
    ['Protocol', event.text('protocol')],
    ['Decided by', event.text('validator')],
    ['Decided in', micros(Number(event.text('duration_us')))],
    ['Request id', event.requestId],
    ['Settings', event.text('settings_revision')],
    ['Body', event.text('body')],
  ];
  return (
    <section>
      <h3>Facts</h3>
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function claimOf(event: WholeEvent): string {
  const version = event.text('browser_version');
  return [
    `${event.text('browser')}${version === '0' ? '' : ` ${version}`}`.trim(),
    event.text('os'),
    event.text('device'),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function Headers({ event }: { readonly event: WholeEvent }) {
  return (
    <section>
      <h3>Header fields</h3>
      {event.headers.length === 0 ? (
        <p class="empty">
          This event has no header fields. Guard removes them after 14 days, and events of uploads
          have none.
        </p>
      ) : (
        <DataTable caption="Header fields" head={['Name', 'Value']} rows={event.headers} />
      )}
    </section>
  );
}

/** Text for the person who answers a visitor: which people can have this reason by accident, and what they can do. */
function PlainWords({ event }: { readonly event: WholeEvent }) {
  const { me } = useContext(SignedIn);
  const falsePositives = falsePositivesOf(event, me.reasons);
  return (
    <section class="plain-words">
      <h3>Who else can have this</h3>
      {falsePositives.length === 0 ? (
        <p>{NO_KNOWN_FALSE_POSITIVES}</p>
      ) : (
        <ul>
          {falsePositives.map(({ name, who }) => (
            <li key={name}>
              {who} <span class="note">{name}</span>
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
