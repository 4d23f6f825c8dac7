import { num, text } from '@guard/config/plain-words/cells';
import type { Row } from '../data/query.ts';
import { useNavigation } from '../navigation.tsx';
import { Link } from '../parts/link.tsx';
import { Value } from '../parts/value.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { duration, eventTime, plural } from '../text/format.ts';

const VERDICTS = [
  ['allow', 6],
  ['challenge', 7],
  ['block', 8],
  ['limited', 9],
] as const;

/** Rows of the statement `sessions`. */
export function SessionList({ rows }: { readonly rows: readonly Row[] }) {
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
