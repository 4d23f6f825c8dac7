import type { ComponentChildren } from 'preact';
import { DataTable } from '../chart/data-table.tsx';
import { num, nums } from '@guard/config/plain-words/cells';
import type { Row } from '../data/query.ts';
import type { Health } from '../../page-contract/health.ts';
import { answerOf } from '../data/use-answer.ts';
import { metric, useHealth } from '../data/use-health.ts';
import { useNavigation } from '../navigation.tsx';
import { Failed, Loading, Panel, QueryPanel } from '../parts/panel.tsx';
import { latency } from '../sql/operations.ts';
import { count, duration, fullTime, micros, plural } from '../text/format.ts';

export function HealthPanels() {
  const { scope } = useNavigation();
  return (
    <>
      <InstancePanel />
      <QueryPanel
        title="How long decisions take"
        about="Half, 95 % and 99 % of the decisions are faster. The origin's time ends with its header section."
        sql={latency(scope)}
        empty="No decisions in this period."
      >
        {({ rows }) => <Latency row={rows[0] ?? []} />}
      </QueryPanel>
    </>
  );
}

const STAGE_WORDS = [
  'Reading the request',
  'Asking the store',
  'Rules and detection',
  'The whole decision',
  'The origin',
];

function Latency({ row }: { readonly row: Row }) {
  const decisions = num(row[0]);
  if (decisions === 0) return <p class="empty">No decisions in this period.</p>;
  return (
    <>
      <DataTable
        caption="Time by stage"
        head={['Stage', 'p50', 'p95', 'p99']}
        numbersFrom={1}
        rows={STAGE_WORDS.map((words, at) => [
          words,
          ...(at === 4 && num(row[6]) === 0 ? ['–', '–', '–'] : nums(row[at + 1]).map(micros)),
        ])}
      />
      <p class="about">
        {plural(decisions, 'decision')}; {count(num(row[7]))} passed unjudged and{' '}
        {count(num(row[8]))} were denied because no answer came.
      </p>
    </>
  );
}

function InstancePanel() {
  const request = useHealth();
  const health = answerOf(request);
  return (
    <Panel title="Guard itself" about="This instance, since its start.">
      {request.state === 'loading' && health === undefined ? <Loading /> : null}
      {request.state === 'failed' ? <Failed message={request.message} /> : null}
      {health === undefined ? null : <Facts health={health} />}
    </Panel>
  );
}

type Mood = 'good' | 'bad' | 'neutral';
type Fact = readonly [string, ComponentChildren, Mood];

const DAY_MS = 86_400_000;

function Facts({ health }: { readonly health: Health }) {
  const { now } = useNavigation();
  const facts = [...partFacts(health), ...counterFacts(health), ...ageFacts(health, now)];
  return (
    <dl class="states">
      {facts.map(([name, words, mood]) => (
        <div key={name} class={`state s-${mood}`}>
          <dt>{name}</dt>
          <dd>
            <span aria-hidden="true">{{ good: '✓', bad: '✕', neutral: '·' }[mood]}</span> {words}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const DATABASE_WORDS = {
  ready: 'answers',
  away: 'does not answer at the moment; events wait',
  failing: 'does not start',
  missing: 'is not installed',
} as const;

function partFacts(health: Health): Fact[] {
  const { database } = health;
  const away = metric(health, 'guard_store_away') === 1;
  const workers = metric(health, 'guard_workers');
  const refused = metric(health, 'guard_last_reload_successful') === 0;
  return [
    ['Guard', health.ready ? 'is ready' : 'is not ready', health.ready ? 'good' : 'bad'],
    database === null
      ? ['Database', 'is not set up', 'neutral']
      : [
          'Database',
          `${DATABASE_WORDS[database.state]}${database.message === undefined ? '' : `: ${database.message}`}${database.deletion === 'held' ? '; old events are kept, because the clock is not believed' : ''}`,
          database.state === 'ready' && database.deletion === undefined ? 'good' : 'bad',
        ],
    [
      'Sessions',
      `${health.store === 'redis' ? 'are in a shared store' : 'are in memory'}${away ? ', which gives no answer' : ''}`,
      away ? 'bad' : 'good',
    ],
    [
      'Settings',
      refused ? 'the last file has a mistake; the settings before it hold' : 'the last file holds',
      refused ? 'bad' : 'good',
    ],
    ...(workers === undefined ? [] : [['Threads', count(workers), 'neutral'] as const]),
  ];
}

/**
 * The panel is empty when several organisations share this Guard, because the counters are sums over all organisations.
 */
function counterFacts(health: Health): Fact[] {
  if (Object.keys(health.metrics).length === 0) return [];
  const value = (name: string, label?: string): number => metric(health, name, label) ?? 0;
  const [open, closed] = [
    value('guard_gateway_fail_open_total'),
    value('guard_gateway_fail_closed_total'),
  ];
  const dropped = value('guard_events_total', 'fate="dropped"');
  const lost = value('guard_log_lines_lost_total');
  return [
    ['Passed unjudged', plural(open, 'request'), open === 0 ? 'good' : 'bad'],
    ['Denied unjudged', plural(closed, 'request'), closed === 0 ? 'good' : 'bad'],
    ['Events that wait', count(value('guard_events_queued')), 'neutral'],
    ['Events that were lost', count(dropped), dropped === 0 ? 'good' : 'bad'],
    ['Log lines that were lost', count(lost), lost === 0 ? 'good' : 'bad'],
    ['Sessions in memory', count(value('guard_sessions')), 'neutral'],
  ];
}

function ageFacts(health: Health, now: number): Fact[] {
  const { startedAt, certificates, crawlerListAgeSeconds, networkDataAgeSeconds } = health;
  const { lists, country, asn } = networkDataAgeSeconds;
  const started = Date.parse(startedAt);
  return [
    [
      'Running for',
      <span title={fullTime(started)} key="since">
        {duration(Math.max(0, now - started))}
      </span>,
      'neutral',
    ],
    crawlerListAgeSeconds === null
      ? ['Crawler lists', 'came with Guard', 'neutral']
      : [
          'Crawler lists',
          `the oldest is ${duration(crawlerListAgeSeconds * 1000)} old`,
          crawlerListAgeSeconds * 1000 > 7 * DAY_MS ? 'bad' : 'good',
        ],
    ['Network lists', `${duration(lists * 1000)} old`, 'neutral'],
    ['Countries', `${duration(country * 1000)} old`, moodOfData(country)],
    ['Autonomous systems', `${duration(asn * 1000)} old`, moodOfData(asn)],
    ...certificates.map(({ hosts, expiresAt }): Fact => {
      const remainingMs = Date.parse(expiresAt) - now;
      const words = remainingMs <= 0 ? 'has ended' : `ends in ${duration(remainingMs)}`;
      return [
        `Certificate of ${hosts.join(', ')}`,
        words,
        remainingMs < 7 * DAY_MS ? 'bad' : 'good',
      ];
    }),
  ];
}

/** The limit is above a month, because databases are published once a month, on different days. */
function moodOfData(seconds: number): Mood {
  return seconds * 1000 > 45 * DAY_MS ? 'bad' : 'good';
}
