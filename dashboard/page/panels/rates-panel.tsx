import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { DataTable, OrTable } from '../chart/data-table.tsx';
import { countAbove, type Peak, peaksOf, percentile } from '../chart/histogram.ts';
import { PeakChart } from '../chart/peak-chart.tsx';
import type { Row } from '../data/query.ts';
import { useNavigation } from '../navigation.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Choice } from '../parts/choice.tsx';
import { QueryPanel } from '../parts/panel.tsx';
import { Value } from '../parts/value.tsx';
import { rateRange, rates, type RateOf } from '../sql/rates.ts';
import { count, duration, percent, plural } from '../text/format.ts';

export function RatesPanel({ tabs }: { readonly tabs: ComponentChildren }) {
  const { scope } = useNavigation();
  const [by, setBy] = useState<RateOf>('address');
  const { from, to } = rateRange(scope.range);
  return (
    <QueryPanel
      title="Requests a minute"
      about={`The busiest minute of each ${by}, in the last ${duration(to - from)} of the period.`}
      sql={rates(scope, by)}
      empty={
        by === 'address'
          ? 'No requests in this period.'
          : 'No request in this period brought a session.'
      }
      tools={
        <>
          {tabs}
          <Choice
            label="Rates of"
            options={[
              ['address', 'Addresses'],
              ['session', 'Sessions'],
            ]}
            chosen={by}
            choose={setBy}
          />
        </>
      }
    >
      {({ rows }) => <Rates rows={rows} by={by} />}
    </QueryPanel>
  );
}

const SHARES = [
  ['half of them', 0.5],
  ['90 %', 0.9],
  ['95 %', 0.95],
  ['99 %', 0.99],
  ['all', 1],
] as const;

function Rates({ rows, by }: { readonly rows: readonly Row[]; readonly by: RateOf }) {
  const peaks = useMemo(() => peaksOf(rows), [rows]);
  const [chosen, setChosen] = useState<number>();
  const limit = chosen ?? Math.max(1, percentile(peaks, 0.99));
  return (
    <>
      <dl class="figures">
        {SHARES.map(([words, share]) => (
          <div key={words}>
            <dt>{words} stay within</dt>
            <dd>{plural(percentile(peaks, share), 'request')}</dd>
          </div>
        ))}
      </dl>
      <OrTable
        chart={<PeakChart peaks={peaks} limit={limit} by={by} />}
        table={() => (
          <DataTable
            caption="Busiest minutes"
            head={[
              'Requests in the busiest minute',
              by === 'address' ? 'Addresses' : 'Sessions',
              'Their requests',
            ]}
            numbersFrom={1}
            rows={peaks.map(({ peak, number, requests }) => [
              count(peak),
              count(number),
              count(requests),
            ])}
          />
        )}
      />
      <Limit peaks={peaks} limit={limit} by={by} choose={setChosen} />
    </>
  );
}

interface LimitProps {
  readonly peaks: readonly Peak[];
  readonly limit: number;
  readonly by: RateOf;
  readonly choose: (limit: number) => void;
}

/** The scale of the slider is logarithmic: it has as many steps between 1 and 10 as between 100 and 1,000. */
const SLIDER_STEPS = 200;

function Limit({ peaks, limit, by, choose }: LimitProps) {
  const highestPeak = Math.max(2, peaks.at(-1)?.peak ?? 2);
  const totalNumber = peaks.reduce((sum, { number }) => sum + number, 0);
  const totalRequests = peaks.reduce((sum, { requests }) => sum + requests, 0);
  const stopped = countAbove(peaks, limit);
  const many = by === 'address' ? 'addresses' : 'sessions';
  const words = `A limit of ${plural(limit, 'request')} a minute would stop ${plural(stopped.number, by, many)} of ${count(totalNumber)}. They made ${percent(stopped.requests, totalRequests)} of the requests.`;
  return (
    <div class="limit">
      <label>
        Limit{' '}
        <input
          type="range"
          min="0"
          max={SLIDER_STEPS}
          value={Math.round((SLIDER_STEPS * Math.log(limit)) / Math.log(highestPeak))}
          aria-valuetext={plural(limit, 'request a minute', 'requests a minute')}
          onInput={({ currentTarget }) =>
            choose(
              Math.max(1, Math.round(highestPeak ** (Number(currentTarget.value) / SLIDER_STEPS))),
            )
          }
        />
      </label>
      <label>
        <span class="only-heard">Requests a minute</span>
        <input
          type="number"
          min="1"
          value={limit}
          onInput={({ currentTarget }) =>
            choose(Math.max(1, Math.round(Number(currentTarget.value) || 1)))
          }
        />{' '}
        a minute
      </label>
      <p aria-live="polite">{words}</p>
      {stopped.top.length === 0 ? null : (
        <>
          <h3>It would stop these first</h3>
          <ol class="plain-list">
            {stopped.top.map(({ visitor, peak }) => (
              <li key={visitor}>
                <Value field={by} value={visitor} />{' '}
                <span class="muted">{plural(peak, 'request')} in a minute</span>
              </li>
            ))}
          </ol>
        </>
      )}
      <p class="about">
        This limit as a rule: <CopyButton text={ruleOf(limit, by)} label="Copy rule" />
      </p>
      <pre tabIndex={0} aria-label="Rule">
        {ruleOf(limit, by)}
      </pre>
    </div>
  );
}

function ruleOf(limit: number, by: RateOf): string {
  return `- name: request budget
  match: {}
  rate_limit: { requests: ${limit}, per: 1m, by: ${by === 'address' ? 'ip' : 'session'} }
`;
}
