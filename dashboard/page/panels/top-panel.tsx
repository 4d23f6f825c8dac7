import { useContext } from 'preact/hooks';
import { num, text } from '@guard/config/plain-words/cells';
import type { Row } from '../data/query.ts';
import { SignedIn } from '../data/signed-in.ts';
import { useNavigation } from '../navigation.tsx';
import { Choice } from '../parts/choice.tsx';
import { Link } from '../parts/link.tsx';
import { QueryPanel } from '../parts/panel.tsx';
import { Value } from '../parts/value.tsx';
import { type TopList, TOP_LISTS, topLists } from '../sql/lists.ts';
import { count, percent, plural } from '../text/format.ts';

export function TopPanel() {
  const { state, scope, go } = useNavigation();
  const lists = TOP_LISTS[state.lists];
  return (
    <QueryPanel
      title="Most frequent"
      sql={topLists(scope, lists)}
      empty="No requests in this period."
      tools={
        <Choice
          label="Lists"
          options={[
            ['common', 'Common'],
            ['networks', 'Networks'],
            ['programs', 'Programs'],
          ]}
          chosen={state.lists}
          choose={(one) => go({ lists: one })}
        />
      }
    >
      {({ rows }) => (
        <div class="lists">
          {lists.map((list, at) => (
            <List key={list.title} list={list} rows={rows.filter((row) => num(row[0]) === at)} />
          ))}
        </div>
      )}
    </QueryPanel>
  );
}

function List({ list, rows }: { readonly list: TopList; readonly rows: readonly Row[] }) {
  const { me } = useContext(SignedIn);
  const mostRequests = Math.max(1, ...rows.map((row) => num(row[3])));
  return (
    <section>
      <h3>{list.title}</h3>
      {rows.length === 0 ? <p class="empty">None in this period.</p> : null}
      <ol class="top">
        {rows.map((row) => {
          const [value, requests, stopped] = [text(row[1]), num(row[3]), num(row[4])];
          const meaning = list.field === 'reason' ? me.reasons[value]?.meaning : undefined;
          return (
            <li key={value} style={{ '--share': `${(100 * requests) / mostRequests}%` }}>
              <Value
                field={list.field}
                value={value}
                shown={list.field === 'asn' ? `AS${value} ${text(row[2])}` : undefined}
              >
                {meaning === undefined ? null : <span class="meaning">{meaning}</span>}
                {list.field === 'rule' ? (
                  <Link to={{ view: 'rules' }}>What if without this rule?</Link>
                ) : null}
              </Value>
              <span class="note">{list.field === 'asn' ? '' : text(row[2])}</span>
              <span class="requests" title={plural(requests, 'request')}>
                {count(requests)}
              </span>
              <span class="stopped" title={`${count(stopped)} of them were stopped or challenged`}>
                {stopped === 0 ? '' : `${percent(stopped, requests)} stopped`}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
