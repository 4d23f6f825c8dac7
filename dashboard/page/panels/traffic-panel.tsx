import { useMemo, useState } from 'preact/hooks';
import { BarChart } from '../chart/bar-chart.tsx';
import { DataTable, OrTable } from '../chart/data-table.tsx';
import { type Bars, barsOf, colourOf } from '../chart/series.ts';
import type { Row } from '../data/query.ts';
import { useNavigation } from '../navigation.tsx';
import { Choice, Select } from '../parts/choice.tsx';
import { QueryPanel } from '../parts/panel.tsx';
import { verdictWord } from '../parts/verdict.tsx';
import { overTime, stepOf } from '../sql/overview.ts';
import { count, duration, fullTime, plural } from '../text/format.ts';
import type { Split } from '../url-state.ts';
import { RatesPanel } from './rates-panel.tsx';
import { SmallButton } from '../parts/small-button.tsx';

const SPLIT_WORDS: readonly (readonly [Split, string])[] = [
  ['action', 'decision'],
  ['rule', 'rule'],
  ['reason', 'reason'],
  ['site', 'site'],
  ['crawler', 'crawler'],
  ['country', 'country'],
  ['asn', 'autonomous system'],
  ['browser', 'browser'],
];

export function TrafficPanel() {
  const { state, scope, go } = useNavigation();
  const tabs = (
    <Choice
      label="Chart"
      options={[
        ['requests', 'Requests'],
        ['rates', 'Rates'],
      ]}
      chosen={state.chart}
      choose={(chart) => go({ chart })}
    />
  );
  if (state.chart === 'rates') return <RatesPanel tabs={tabs} />;
  const split = (
    <Select
      label="By"
      options={SPLIT_WORDS}
      chosen={state.split}
      choose={(one) => go({ split: one })}
    />
  );
  return (
    <QueryPanel
      title="Requests over time"
      {...(state.split === 'reason'
        ? { about: 'A request with several reasons counts for each of them.' }
        : {})}
      sql={overTime(scope, state.split, state.compare)}
      empty="No requests in this period."
      tools={
        <>
          {tabs}
          {split}
        </>
      }
    >
      {({ rows }) => <Chart rows={rows} />}
    </QueryPanel>
  );
}

function Chart({ rows }: { readonly rows: readonly Row[] }) {
  const { state, scope, go } = useNavigation();
  const { from, to } = scope.range;
  const stepMs = stepOf(scope.range);
  const bars = useMemo(
    () => barsOf(rows, { from, to, stepMs, compare: state.compare }),
    [rows, from, to, stepMs, state.compare],
  );
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const toggle = (name: string): void => {
    setHidden(
      (previous) =>
        new Set(
          previous.has(name)
            ? [...previous].filter((other) => other !== name)
            : [...previous, name],
        ),
    );
  };
  return (
    <>
      <Legend bars={bars} hidden={hidden} toggle={toggle} />
      <OrTable
        chart={
          <BarChart
            label={`Requests over ${duration(to - from)}, one bar for ${duration(stepMs)}`}
            bars={bars}
            hidden={hidden}
            zoom={(first, last) =>
              go({ period: { from: first, to: Math.min(last, to) }, before: '' })
            }
          />
        }
        table={() => <BarTable bars={bars} />}
      />
      <ZoomButtons />
      <Changes bars={bars} />
    </>
  );
}

interface LegendProps {
  readonly bars: Bars;
  readonly hidden: ReadonlySet<string>;
  readonly toggle: (name: string) => void;
}

function Legend({ bars, hidden, toggle }: LegendProps) {
  return (
    <ul class="legend" aria-label="Series">
      {bars.series.map(({ name, total }, index) => (
        <li key={name}>
          <button type="button" aria-pressed={!hidden.has(name)} onClick={() => toggle(name)}>
            <svg width="12" height="12" aria-hidden="true">
              <rect width="12" height="12" fill={colourOf(name, index)} />
            </svg>{' '}
            {verdictWord(name)} <span class="muted">{count(total)}</span>
          </button>
        </li>
      ))}
      {bars.earlier.length === 0 ? null : (
        <li class="key">
          <svg width="18" height="12" aria-hidden="true">
            <path class="earlier" d="M0 6h18" />
          </svg>{' '}
          the period before{' '}
          <span class="muted">{count(bars.earlier.reduce((sum, value) => sum + value, 0))}</span>
        </li>
      )}
    </ul>
  );
}

/** Buttons with the same effect as dragging in the chart. */
function ZoomButtons() {
  const { scope, now, go } = useNavigation();
  const { from, to } = scope.range;
  const length = to - from;
  const show = (first: number, last: number): void => {
    go({ period: { from: Math.round(first), to: Math.round(last) }, before: '' });
  };
  return (
    <div class="zoom" role="group" aria-label="Period of the page">
      <SmallButton onClick={() => show(from - length / 2, to - length / 2)}>← Earlier</SmallButton>
      <SmallButton disabled={to >= now} onClick={() => show(from + length / 2, to + length / 2)}>
        Later →
      </SmallButton>
      <SmallButton
        disabled={length <= 60_000}
        onClick={() => show(from + length / 4, to - length / 4)}
      >
        Zoom in
      </SmallButton>
      <SmallButton onClick={() => show(from - length / 2, Math.min(now, to + length / 2))}>
        Zoom out
      </SmallButton>
    </div>
  );
}

function Changes({ bars }: { readonly bars: Bars }) {
  if (bars.changes.length === 0) return null;
  return (
    <details class="changed">
      <summary>{plural(bars.changes.length, 'change')} of the settings (▼ in the chart)</summary>
      <ul>
        {bars.changes.map(({ at, revision }) => (
          <li key={`${at} ${revision}`}>
            {fullTime(at)}, within {duration(bars.stepMs)}: revision <code>{revision}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

function BarTable({ bars }: { readonly bars: Bars }) {
  const earlier = bars.earlier.length === 0 ? [] : ['period before'];
  return (
    <DataTable
      caption="Requests over time"
      head={['From', ...bars.series.map(({ name }) => verdictWord(name)), ...earlier]}
      numbersFrom={1}
      rows={bars.starts.map((start, at) => [
        fullTime(start),
        ...bars.series.map(({ values }) => count(values[at] ?? 0)),
        ...(bars.earlier.length === 0 ? [] : [count(bars.earlier[at] ?? 0)]),
      ])}
    />
  );
}
