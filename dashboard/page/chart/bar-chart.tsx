import { useRef } from 'preact/hooks';
import { axisTime, count, fullTime, shortCount } from '../text/format.ts';
import { type Bars, colourOf, roundUp, type Series, ticksTo } from './series.ts';
import { type Selection, useSelection } from './use-selection.ts';
import { useWidth } from './use-width.ts';

const HEIGHT = 220;
const TOP = 14;
const BOTTOM = 26;
const LEFT = 46;
const INNER = HEIGHT - TOP - BOTTOM;

interface Props {
  readonly label: string;
  readonly bars: Bars;
  /** The names of the series that are not shown. */
  readonly hidden: ReadonlySet<string>;
  readonly zoom: (from: number, to: number) => void;
}

/** Stacked bars over time. A person can select a range. */
export function BarChart({ label, bars, hidden, zoom }: Props) {
  const { place, width } = useWidth();
  const drawing = useRef<SVGSVGElement>(null);
  const { starts, stepMs } = bars;
  const barWidth = Math.max(1, (width - LEFT) / starts.length);
  const { cursor, selection, listeners } = useSelection({
    bars: starts.length,
    barAt: (clientX) => {
      const { left } = drawing.current?.getBoundingClientRect() ?? { left: 0 };
      const at = Math.floor((clientX - left - LEFT) / barWidth);
      return Math.max(0, Math.min(starts.length - 1, at));
    },
    select: (first, last) => zoom(starts[first] ?? 0, (starts[last] ?? 0) + stepMs),
  });
  const shownSeries = bars.series.filter(({ name }) => !hidden.has(name));
  const totals = starts.map((_, at) =>
    shownSeries.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  const top = roundUp(Math.max(...totals, ...bars.earlier, 1));
  return (
    <div class="chart" ref={place}>
      <svg
        ref={drawing}
        width={width}
        height={HEIGHT}
        role="application"
        aria-roledescription="chart"
        aria-label={`${label}. Arrow keys move through the bars, Enter begins and ends a range to zoom to.`}
        tabIndex={0}
        {...listeners}
      >
        <Axes bars={bars} top={top} width={width} barWidth={barWidth} />
        <Stacks bars={bars} shownSeries={shownSeries} top={top} barWidth={barWidth} />
        <EarlierPeriod values={bars.earlier} top={top} barWidth={barWidth} />
        <Changes bars={bars} barWidth={barWidth} />
        <SelectedRange cursor={cursor} selection={selection} barWidth={barWidth} />
      </svg>
      <Readout
        bars={bars}
        shownSeries={shownSeries}
        at={cursor}
        choosing={selection !== undefined}
      />
    </div>
  );
}

interface Scale {
  readonly bars: Bars;
  readonly top: number;
  readonly barWidth: number;
}

function Axes({ bars, top, width, barWidth }: Scale & { readonly width: number }) {
  const { starts, stepMs } = bars;
  const rangeMs = starts.length * stepMs;
  const labels = Math.max(2, Math.floor((width - LEFT) / 110));
  const every = Math.ceil(starts.length / labels);
  return (
    <g class="axes" aria-hidden="true">
      {ticksTo(top).map((tick) => {
        const y = TOP + INNER * (1 - tick / top);
        return (
          <g key={tick}>
            <line x1={LEFT} x2={width} y1={y} y2={y} />
            <text x={LEFT - 6} y={y + 4} text-anchor="end">
              {shortCount(tick)}
            </text>
          </g>
        );
      })}
      {starts.map((start, at) =>
        at % every === 0 && LEFT + at * barWidth < width - 60 ? (
          <text key={start} x={LEFT + at * barWidth} y={HEIGHT - 8}>
            {axisTime(start, rangeMs, stepMs)}
          </text>
        ) : null,
      )}
    </g>
  );
}

function Stacks({
  bars,
  shownSeries,
  top,
  barWidth,
}: Scale & { readonly shownSeries: readonly Series[] }) {
  const gap = barWidth > 4 ? 1 : 0;
  return (
    <g aria-hidden="true">
      {bars.starts.map((start, at) => {
        let below = 0;
        return shownSeries.map((series) => {
          const { name, values } = series;
          const value = values[at] ?? 0;
          if (value === 0) return null;
          const height = (value / top) * INNER;
          below += height;
          return (
            <rect
              key={`${start} ${name}`}
              fill={colourOf(name, bars.series.indexOf(series))}
              x={LEFT + at * barWidth}
              y={TOP + INNER - below}
              width={barWidth - gap}
              height={Math.max(height, 0.5)}
            />
          );
        });
      })}
    </g>
  );
}

/** A line with steps, for the previous period. */
function EarlierPeriod({
  values,
  top,
  barWidth,
}: Omit<Scale, 'bars'> & { readonly values: readonly number[] }) {
  if (values.length === 0) return null;
  const path = values.map((value, at) => {
    const y = TOP + INNER * (1 - value / top);
    return `${at === 0 ? 'M' : 'L'}${LEFT + at * barWidth} ${y}h${barWidth}`;
  });
  return <path class="earlier" d={path.join('')} aria-hidden="true" />;
}

function Changes({ bars, barWidth }: Omit<Scale, 'top'>) {
  return (
    <g class="changes" aria-hidden="true">
      {bars.changes.map(({ at, revision }) => {
        const x = LEFT + ((at - (bars.starts[0] ?? 0)) / bars.stepMs) * barWidth;
        return (
          <g key={`${at} ${revision}`}>
            <line x1={x} x2={x} y1={TOP - 4} y2={TOP + INNER} />
            <path d={`M${x - 5} ${TOP - 12}h10l-5 8z`} />
          </g>
        );
      })}
    </g>
  );
}

interface SelectedRangeProps {
  readonly cursor: number | undefined;
  readonly selection: Selection | undefined;
  readonly barWidth: number;
}

function SelectedRange({ cursor, selection, barWidth }: SelectedRangeProps) {
  if (cursor === undefined) return null;
  const first = Math.min(cursor, selection?.anchor ?? cursor);
  const last = Math.max(cursor, selection?.anchor ?? cursor);
  return (
    <rect
      class="chosen"
      x={LEFT + first * barWidth}
      y={TOP}
      width={(last - first + 1) * barWidth}
      height={INNER}
      aria-hidden="true"
    />
  );
}

interface ReadoutProps {
  readonly bars: Bars;
  readonly shownSeries: readonly Series[];
  readonly at: number | undefined;
  readonly choosing: boolean;
}

/** Shows the values of the bar under the pointer, also to screen readers. */
function Readout({ bars, shownSeries, at, choosing }: ReadoutProps) {
  const start = at === undefined ? undefined : bars.starts[at];
  if (at === undefined || start === undefined) {
    return <p class="readout">Drag over bars to zoom in.</p>;
  }
  const change = bars.changes.find(({ at: changedAt }) => changedAt === start);
  const parts = shownSeries
    .filter(({ values }) => (values[at] ?? 0) > 0)
    .map(({ name, values }) => `${name} ${count(values[at] ?? 0)}`);
  return (
    <p class="readout" aria-live="polite">
      <strong>{fullTime(start)}</strong>
      {choosing ? ' (range begun)' : ''}: {parts.length === 0 ? 'no requests' : parts.join(', ')}
      {bars.earlier.length === 0 ? '' : `; in the period before ${count(bars.earlier[at] ?? 0)}`}
      {change === undefined ? '' : `; settings changed to ${change.revision}`}
    </p>
  );
}
