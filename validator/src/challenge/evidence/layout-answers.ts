import { LAYOUT_SIDE, sum, type LayoutQuestions } from '../../../page-contract/layout-questions.ts';

/**
 * What a layout engine measures for these questions, in CSS pixels and in the order in which the
 * page reports (browser/page/sources/layout.ts). The clauses are named there with the questions.
 */
export function layoutAnswers(questions: LayoutQuestions): number[] {
  return [
    ...grown(questions.grow),
    ...shrunk(questions.shrink),
    ...gridCell(questions.grid),
    collapsed(questions.collapse),
    ...thirdFloat(questions.float),
    ...padded(questions.percent),
    centred(questions.centre),
    ...turned(questions.turn),
  ];
}

/** Left and width of each item: free room goes out by share, places by order and then by document. */
function grown({ width, bases, shares, orders }: LayoutQuestions['grow']): number[] {
  const unit = (width - sum(bases)) / sum(shares);
  const widths = bases.map((base, at) => base + unit * at0(shares, at));
  const before = (one: number, other: number) =>
    at0(orders, one) - at0(orders, other) || one - other;
  return widths.flatMap((own, at) => [
    sum(widths.filter((_, other) => before(other, at) < 0)),
    own,
  ]);
}

/** What is missing is taken by share times base. */
function shrunk({ width, bases, shares }: LayoutQuestions['shrink']): number[] {
  const weights = bases.map((base, at) => base * at0(shares, at));
  const missing = sum(bases) - width;
  const widths = bases.map((base, at) => base - (missing * at0(weights, at)) / sum(weights));
  return widths.flatMap((own, at) => [sum(widths.slice(0, at)), own]);
}

function gridCell(question: LayoutQuestions['grid']): number[] {
  const { width, column, fractions, rows, gap, at, span } = question;
  const unit = (width - column - 2 * gap) / sum(fractions);
  const columns = [column, ...fractions.map((part) => part * unit)];
  const first = Math.min(at0(at, 0), 3 - span);
  const row = at0(at, 1);
  return [
    sum(columns.slice(0, first)) + first * gap,
    sum(rows.slice(0, row)) + row * gap,
    sum(columns.slice(first, first + span)) + (span - 1) * gap,
    at0(rows, row),
  ];
}

/** Adjoining margins become the largest of the positive ones and the smallest of the negative ones. */
function collapsed({ height, after, before, inner }: LayoutQuestions['collapse']): number {
  return height + Math.max(after, inner, 0) + Math.min(before, 0);
}

/** The third float sinks until it fits: beside the first while only that is left, else below both. */
function thirdFloat({ width, widths, heights }: LayoutQuestions['float']): number[] {
  const [firstHeight, secondHeight] = [at0(heights, 0), at0(heights, 1)];
  const besideFirst = at0(widths, 0) + at0(widths, 2) <= width;
  return firstHeight > secondHeight && besideFirst
    ? [at0(widths, 0), secondHeight]
    : [0, Math.max(firstHeight, secondHeight)];
}

function padded({ width, padding, share, minus, height }: LayoutQuestions['percent']): number[] {
  const percent = width / 100;
  return [percent * (share + padding) - minus, height + percent * padding];
}

function centred({ left, right, width }: LayoutQuestions['centre']): number {
  return left + (LAYOUT_SIDE - left - right - width) / 2;
}

function turned({ width, height, degrees, tenths }: LayoutQuestions['turn']): number[] {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle) * (tenths / 10), Math.sin(angle) * (tenths / 10)];
  return [width * cos + height * sin, width * sin + height * cos];
}

/** The questions have as many numbers as the arithmetic asks for; the type does not say so. */
function at0(values: readonly number[], at: number): number {
  return values[at] ?? 0;
}
