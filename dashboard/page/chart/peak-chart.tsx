import type { RateOf } from '../sql/rates.ts';
import { count, shortCount } from '../text/format.ts';
import type { Peak } from './histogram.ts';
import { useWidth } from './use-width.ts';

const HEIGHT = 150;
const BOTTOM = 24;
const LEFT = 46;
const INNER = HEIGHT - BOTTOM - 8;

interface Props {
  readonly peaks: readonly Peak[];
  readonly limit: number;
  readonly by: RateOf;
}

/** Classes of peaks with doubling size: 1, 2, 3 to 4, 5 to 8 and so on. */
function classesOf(peaks: readonly Peak[]) {
  const classes: { from: number; to: number; number: number; aboveLimit: number }[] = [];
  const highestPeak = peaks.at(-1)?.peak ?? 1;
  for (let from = 1, to = 1; from <= highestPeak; from = to + 1, to *= 2) {
    classes.push({ from, to, number: 0, aboveLimit: 0 });
  }
  return classes;
}

/** Shows the number of addresses or sessions for each class of peaks. Peaks above the limit have another colour. */
export function PeakChart({ peaks, limit, by }: Props) {
  const { place, width } = useWidth();
  const classes = classesOf(peaks);
  for (const { peak, number } of peaks) {
    const peakClass = classes.find(({ from, to }) => peak >= from && peak <= to);
    if (peakClass === undefined) continue;
    peakClass.number += number;
    if (peak > limit) peakClass.aboveLimit += number;
  }
  const top = Math.max(1, ...classes.map(({ number }) => number));
  const barWidth = (width - LEFT) / classes.length;
  // The scale is logarithmic, because only few addresses and sessions have high peaks.
  const heightOf = (number: number) =>
    number === 0 ? 0 : Math.max(2, (INNER * Math.log1p(number)) / Math.log1p(top));
  const many = by === 'address' ? 'Addresses' : 'Sessions';
  return (
    <div class="chart" ref={place}>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`${many} by the requests of their busiest minute; from 1 to ${count(peaks.at(-1)?.peak ?? 1)} requests.`}
      >
        <g class="axes">
          <line x1={LEFT} x2={width} y1={INNER + 8} y2={INNER + 8} />
          <text x={LEFT - 6} y={16} text-anchor="end">
            {shortCount(top)}
          </text>
        </g>
        {classes.map(({ from, to, number, aboveLimit }, at) => {
          const height = heightOf(number);
          const aboveHeight = number === 0 ? 0 : (height * aboveLimit) / number;
          const x = LEFT + at * barWidth;
          return (
            <g key={from}>
              <rect
                fill="var(--allow)"
                x={x + 1}
                y={INNER + 8 - height}
                width={Math.max(0, barWidth - 2)}
                height={height}
              />
              <rect
                fill="var(--block)"
                x={x + 1}
                y={INNER + 8 - height}
                width={Math.max(0, barWidth - 2)}
                height={aboveHeight}
              />
              <text class="axis-label" x={x + barWidth / 2} y={HEIGHT - 6} text-anchor="middle">
                {from === to ? from : `${shortCount(from)}–${shortCount(to)}`}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
