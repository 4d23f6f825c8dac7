import { useContext, useEffect } from 'preact/hooks';
import { num, texts } from '@guard/config/plain-words/cells';
import type { Row } from '../data/query.ts';
import { SignedIn } from '../data/signed-in.ts';
import { useNavigation } from '../navigation.tsx';
import { announce } from '../parts/announcer.tsx';
import { Link } from '../parts/link.tsx';
import { QueryPanel } from '../parts/panel.tsx';
import { totals } from '../sql/overview.ts';
import { change, count, duration, percent, plural, shortCount } from '../text/format.ts';
import { withFilter } from '../url-state.ts';

type Totals = ReturnType<typeof totalsOf>;

function totalsOf(row: Row | undefined) {
  const at = (column: number): number => num(row?.[column]);
  return {
    requests: at(1),
    allowed: at(2),
    challenged: at(3),
    blocked: at(4),
    limited: at(5),
    unjudged: at(6),
    watched: at(7),
    blockedAfterPassing: at(8),
    /** The rule that stopped most requests. Empty if no rule did. */
    busiestRule: texts(row?.[9])[0] ?? '',
  };
}

export function Summary() {
  const { scope } = useNavigation();
  return (
    <QueryPanel
      title="How it is going"
      sql={totals(scope)}
      empty="No request came in this period, nor in the one before. If some should have come: do filters hide them, and does your proxy or your domain lead to Guard?"
    >
      {({ rows }) => (
        <Figures
          now={totalsOf(rows.find((row) => num(row[0]) === 1))}
          earlier={totalsOf(rows.find((row) => num(row[0]) === 0))}
        />
      )}
    </QueryPanel>
  );
}

interface Periods {
  readonly now: Totals;
  readonly earlier: Totals;
}

function Figures({ now, earlier }: Periods) {
  const { scope } = useNavigation();
  const { me } = useContext(SignedIn);
  const length = duration(scope.range.to - scope.range.from);
  const sentence = sentenceOf(now, length, scope.verdict === 'decision');
  useEffect(() => announce(sentence), [sentence]);
  return (
    <>
      <p class="sentence">{sentence}</p>
      <Warnings
        now={now}
        stopsNothing={me.rules.length > 0 && me.rules.every(({ monitor }) => monitor)}
      />
      <Tiles now={now} earlier={earlier} length={length} />
    </>
  );
}

function sentenceOf(now: Totals, length: string, concluded: boolean): string {
  if (now.requests === 0) return `No request came in ${length}.`;
  const stopped = now.challenged + now.blocked + now.limited;
  const began = `${plural(now.requests, 'request')} in ${length}.`;
  if (stopped === 0) return `${began} None was ${concluded ? 'found to be stopped' : 'stopped'}.`;
  const did = concluded ? 'Guard would stop' : 'Guard stopped';
  const rule = now.busiestRule === '' ? '' : `, most often by the rule “${now.busiestRule}”`;
  return `${began} ${did} ${percent(stopped, now.requests)} of them${rule}.`;
}

function Warnings({ now, stopsNothing }: { readonly now: Totals; readonly stopsNothing: boolean }) {
  const { state } = useNavigation();
  const { filters } = withFilter(state, { field: 'unjudged', value: 'yes', exclude: false });
  return (
    <>
      {now.unjudged === 0 ? null : (
        <p class="warning">
          <strong>{plural(now.unjudged, 'request')} passed unjudged,</strong> because the validator
          gave no answer. <Link to={{ filters, before: '', view: 'events' }}>Show them</Link>
        </p>
      )}
      {now.blockedAfterPassing === 0 ? null : (
        <p class="warning">
          <strong>
            {plural(now.blockedAfterPassing, 'request')} came from visitors who had passed the
            challenge, and were blocked.
          </strong>{' '}
          Many of these with one reason are worth a look.
        </p>
      )}
      {now.watched === 0 ? null : (
        <p class="notice">
          {stopsNothing ? 'All rules are in monitor mode. ' : ''}
          {plural(now.watched, 'request')} passed only because of monitor mode or{' '}
          <code>observe</code>.
        </p>
      )}
    </>
  );
}

function Tiles({ now, earlier, length }: Periods & { readonly length: string }) {
  const tiles = [
    ['Requests', now.requests, earlier.requests, 'accent'],
    ['Allowed', now.allowed, earlier.allowed, 'allow'],
    ['Challenged', now.challenged, earlier.challenged, 'challenge'],
    ['Blocked', now.blocked, earlier.blocked, 'block'],
    ['Limited', now.limited, earlier.limited, 'limited'],
    ['Passed unjudged', now.unjudged, earlier.unjudged, 'none'],
  ] as const;
  return (
    <dl class="tiles">
      {tiles.map(([name, value, before, colour]) => (
        <div key={name} class="tile" style={{ borderTopColor: `var(--${colour})` }}>
          <dt>{name}</dt>
          <dd>
            <span class="figure" title={count(value)}>
              {shortCount(value)}
            </span>
            <span class="share">{colour === 'accent' ? '' : percent(value, now.requests)}</span>
            <span class="change" title={`${count(before)} in the ${length} before`}>
              {change(value, before)}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
