import { num, text, texts } from '@guard/config/plain-words/cells';
import type { Row } from '../data/query.ts';

/** Converts the rows of the statement `overTime` into data for a chart. */

export interface Series {
  readonly name: string;
  /** One number for each bar. */
  readonly values: readonly number[];
  readonly total: number;
}

export interface Bars {
  /** Start of each bar, in milliseconds since 1970. */
  readonly starts: readonly number[];
  readonly stepMs: number;
  /** The series of the bars. The first series is at the bottom. */
  readonly series: readonly Series[];
  /** The values of the previous period. Empty if the viewer did not ask for them. */
  readonly earlier: readonly number[];
  /** Times at which new settings began to decide. */
  readonly changes: readonly { readonly at: number; readonly revision: string }[];
}

const OTHERS = '(others)';
const VERDICTS = ['allow', 'challenge', 'limited', 'block', 'none'];

interface Grid {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  readonly compare: boolean;
}

export function barsOf(rows: readonly Row[], { from, to, stepMs, compare }: Grid): Bars {
  const length = Math.ceil((to - from) / stepMs);
  const starts = Array.from({ length }, (_, at) => from + at * stepMs);
  const values = new Map<string, number[]>();
  const earlier = compare ? starts.map(() => 0) : [];
  const revisions = starts.map(() => new Set<string>());
  for (const row of rows) {
    const isNow = num(row[0]) === 1;
    const at = Math.floor((num(row[1]) - (isNow ? from : from - (to - from))) / stepMs);
    if (at < 0 || at >= length) continue;
    if (!isNow) {
      if (compare) earlier[at] = (earlier[at] ?? 0) + num(row[3]);
      continue;
    }
    const name = text(row[2]);
    const line = values.get(name) ?? starts.map(() => 0);
    line[at] = (line[at] ?? 0) + num(row[3]);
    values.set(name, line);
    for (const revision of texts(row[4])) revisions[at]?.add(revision);
  }
  const series = [...values].map(([name, line]) => {
    return { name, values: line, total: line.reduce((sum, value) => sum + value, 0) };
  });
  return {
    starts,
    stepMs,
    series: series.sort(order),
    earlier,
    changes: changesOf(starts, revisions),
  };
}

function order(a: Series, b: Series): number {
  const [first, second] = [VERDICTS.indexOf(a.name), VERDICTS.indexOf(b.name)];
  if (first !== -1 && second !== -1) return first - second;
  if ((a.name === OTHERS) !== (b.name === OTHERS)) return a.name === OTHERS ? 1 : -1;
  return b.total - a.total || a.name.localeCompare(b.name);
}

/** Finds revisions in this bar that were not in the previous bar with requests. */
function changesOf(
  starts: readonly number[],
  revisions: readonly ReadonlySet<string>[],
): Bars['changes'] {
  const changes: { at: number; revision: string }[] = [];
  let previous: ReadonlySet<string> | undefined;
  revisions.forEach((revisionsOfBar, bar) => {
    const current = new Set([...revisionsOfBar].filter((revision) => revision !== ''));
    if (current.size === 0) return;
    for (const revision of current) {
      if (previous !== undefined && !previous.has(revision))
        changes.push({ at: starts[bar] ?? 0, revision });
    }
    previous = current;
  });
  return changes;
}

/**
 * The colour of a series as CSS. Each verdict has its own colour. The colour of any other series depends on its
 * position.
 */
export function colourOf(name: string, index: number): string {
  if (VERDICTS.includes(name)) return `var(--${name})`;
  return name === OTHERS ? 'var(--none)' : `var(--series-${index % 7})`;
}

/** Returns the next higher round number, for the top of an axis. */
export function roundUp(value: number): number {
  if (value <= 5) return Math.max(1, value);
  const magnitude = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((one) => one * magnitude >= value) ?? 10;
  return step * magnitude;
}

/** Returns the labels of an axis that ends at `top`: both ends, and the middle if it is a whole number. */
export function ticksTo(top: number): readonly number[] {
  return top % 2 === 0 ? [0, top / 2, top] : [0, top];
}
