import { DataTable } from '../chart/data-table.tsx';
import { num, text } from '@guard/config/plain-words/cells';
import { answerOf } from '../data/use-answer.ts';
import { useHealth } from '../data/use-health.ts';
import { useNavigation } from '../navigation.tsx';
import { QueryPanel } from '../parts/panel.tsx';
import { Value } from '../parts/value.tsx';
import { crawlers } from '../sql/operations.ts';
import { count, duration, eventTime } from '../text/format.ts';

export function CrawlersPanel() {
  const { scope, now } = useNavigation();
  const age = answerOf(useHealth())?.crawlerListAgeSeconds;
  return (
    <QueryPanel
      title="Crawlers"
      about={
        age === undefined || age === null
          ? 'Verified: the address lies in the published ranges of its operator.'
          : `Verified: the address lies in the published ranges of its operator. The oldest list is ${duration(age * 1000)} old.`
      }
      sql={crawlers(scope)}
      empty="No crawler came in this period."
    >
      {({ rows }) => (
        <DataTable
          caption="Crawlers"
          head={[
            'Crawler',
            'Kind',
            'Requests',
            'Verified',
            'False',
            'Addresses of false claims',
            'Stopped',
            'Last time',
          ]}
          numbersFrom={2}
          rows={rows.map((row) => [
            <Value field="crawler" value={text(row[0])} key="name" />,
            text(row[1]),
            count(num(row[2])),
            count(num(row[3])),
            num(row[4]) === 0 ? '0' : <strong key="false">✕ {count(num(row[4]))}</strong>,
            count(num(row[5])),
            count(num(row[6])),
            eventTime(num(row[7]), now),
          ])}
        />
      )}
    </QueryPanel>
  );
}
