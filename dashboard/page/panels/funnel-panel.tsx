import { DataTable } from '../chart/data-table.tsx';
import { num, text } from '@guard/config/plain-words/cells';
import type { Row } from '../data/query.ts';
import { useNavigation } from '../navigation.tsx';
import { QueryPanel } from '../parts/panel.tsx';
import { funnel } from '../sql/overview.ts';
import { count, percent } from '../text/format.ts';

/** Name, column, colour and meaning of each step. The columns are those of the statement `funnel`. */
const STEPS = [
  ['Challenged', 2, 'accent', 'Visitors who were shown the challenge page.'],
  [
    'Loaded the page',
    3,
    'accent',
    'The page ran: it sent an answer, or reported that the visitor left it.',
  ],
  ['Answered', 4, 'accent', 'Sent an answer: verified, rejected or failed.'],
  ['Verified', 5, 'allow', 'Passed, and sent another request afterwards.'],
  ['Rejected', 6, 'block', 'Their answer shows a program.'],
  ['Failed', 7, 'block', 'Their answer came too late, was a copy, or was damaged.'],
  [
    'Gave up',
    8,
    'none',
    'Challenged without an answer. Programs without JavaScript never load the page.',
  ],
  [
    'Challenged again',
    9,
    'challenge',
    'Within ten minutes after passing: the best sign that people are disturbed.',
  ],
] as const;

export function FunnelPanel() {
  const { scope } = useNavigation();
  return (
    <QueryPanel
      title="Through the challenge"
      about="Visitors: an address with a User-Agent."
      sql={funnel(scope)}
      empty="No visitor met the challenge in this period."
    >
      {({ rows }) => <Funnel rows={rows} />}
    </QueryPanel>
  );
}

function Funnel({ rows }: { readonly rows: readonly Row[] }) {
  const sums = STEPS.map(([, column]) => rows.reduce((sum, row) => sum + num(row[column]), 0));
  const challenged = sums[0] ?? 0;
  const highestSum = Math.max(1, ...sums);
  return (
    <>
      <ol class="funnel">
        {STEPS.map(([name, , colour, meaning], at) => {
          const value = sums[at] ?? 0;
          return (
            <li key={name} class="step">
              <span class="name">{name}</span>
              <span
                class="amount"
                style={{ '--share': `${(100 * value) / highestSum}%`, '--bar': `var(--${colour})` }}
              >
                <strong>{count(value)}</strong>{' '}
                <span class="muted">
                  {at === 0 || challenged === 0 ? '' : percent(value, challenged)}
                </span>
              </span>
              <span class="about">{meaning}</span>
            </li>
          );
        })}
      </ol>
      <h3>By browser and version</h3>
      <DataTable
        caption="The challenge by browser and version"
        head={['Browser', ...STEPS.map(([name]) => name)]}
        numbersFrom={1}
        rows={rows
          .slice(0, 15)
          .map((row) => [
            text(row[0]) === ''
              ? 'no browser'
              : `${text(row[0])} ${num(row[1]) === 0 ? '' : text(row[1])}`,
            ...STEPS.map(([, column]) => count(num(row[column]))),
          ])}
      />
    </>
  );
}
