import { finite } from '../clip.ts';
import { layoutQuestions, type LayoutQuestions } from '../../../page-contract/layout-questions.ts';
import type { Source } from '../source.ts';
import { box, inUnseenSquare } from '../unseen-square.ts';

/**
 * Lays out the boxes of this ticket's questions and measures them. Everything is in pixels, percent
 * and fractions, without text: neither minimum font sizes nor text zoom change it, and the server
 * takes page zoom and scaled documents out by the measured side of the square.
 */
export const layout: Source<'layout'> = ({ ticket }) =>
  inUnseenSquare((ground, host) => {
    const measured = ask(ground, layoutQuestions(ticket));
    const origin = host.getBoundingClientRect();
    return { side: tenths(origin.width), answers: measured.flatMap((read) => read(origin)) };
  });

/** Measures one box once all are built, so that the engine lays out only once. */
type Read = (origin: DOMRect) => number[];

function ask(ground: ShadowRoot, questions: LayoutQuestions): Read[] {
  const { grow, shrink, grid, collapse, float, percent, centre, turn } = questions;
  const inRow = (ends: (at: number) => string) => (base: number, at: number) =>
    `flex:${ends(at)} ${base}px;height:9px`;

  const growing = box(ground, `display:flex;width:${grow.width}px`);
  const grown = grow.bases.map((base, at) =>
    box(growing, `${inRow((i) => `${grow.shares[i]} 1`)(base, at)};order:${grow.orders[at]}`),
  );
  const shrinking = box(ground, `display:flex;width:${shrink.width}px`);
  const shrunk = shrink.bases.map((base, at) =>
    box(shrinking, inRow((i) => `0 ${shrink.shares[i]}`)(base, at)),
  );
  const [column = 0, row = 0] = grid.at;
  const table = box(
    ground,
    `display:grid;width:${grid.width}px;grid-gap:${grid.gap}px;grid-template-columns:${grid.column}px ${grid.fractions.map((part) => `${part}fr`).join(' ')};grid-template-rows:${grid.rows.join('px ')}px`,
  );
  // A cell of two columns begins in one of the first two.
  const first = Math.min(column, 3 - grid.span) + 1;
  const cell = box(table, `grid-column:${first}/span ${grid.span};grid-row:${row + 1}`);
  const flow = box(ground, 'overflow:hidden');
  box(flow, `height:${collapse.height}px;margin-bottom:${collapse.after}px`);
  const pulled = box(flow, `margin-top:${collapse.before}px`);
  const collapsed = box(pulled, `height:9px;margin-top:${collapse.inner}px`);
  const pool = box(ground, `overflow:hidden;width:${float.width}px`);
  const floats = float.widths.map((width, at) =>
    box(pool, `float:left;width:${width}px;height:${float.heights[at]}px`),
  );
  const outer = box(ground, `width:${percent.width}px`);
  const padded = box(
    outer,
    `width:calc(${percent.share}% - ${percent.minus}px);height:${percent.height}px;padding:${percent.padding}% 0 0 ${percent.padding}%`,
  );
  const centred = box(
    ground,
    `position:absolute;left:${centre.left}px;right:${centre.right}px;width:${centre.width}px;height:9px;margin:0 auto`,
  );
  const turned = box(
    ground,
    `position:absolute;left:300px;top:300px;width:${turn.width}px;height:${turn.height}px;transform:rotate(${turn.degrees}deg) scale(${turn.tenths / 10})`,
  );

  return [
    ...grown.map((item) => from(growing, item, 'left', 'width')),
    ...shrunk.map((item) => from(shrinking, item, 'left', 'width')),
    from(table, cell, 'left', 'top', 'width', 'height'),
    from(flow, collapsed, 'top'),
    ...floats.slice(-1).map((item) => from(pool, item, 'left', 'top')),
    from(outer, padded, 'width', 'height'),
    (origin) => [tenths(centred.getBoundingClientRect().left - origin.left)],
    from(turned, turned, 'width', 'height'),
  ];
}

function from(
  holder: HTMLElement,
  inner: HTMLElement,
  ...sides: readonly ('left' | 'top' | 'width' | 'height')[]
): Read {
  return () => {
    const [outside, inside] = [holder.getBoundingClientRect(), inner.getBoundingClientRect()];
    return sides.map((side) =>
      tenths(side === 'left' || side === 'top' ? inside[side] - outside[side] : inside[side]),
    );
  };
}

function tenths(pixels: number): number {
  return finite(Math.round(pixels * 10) / 10);
}
