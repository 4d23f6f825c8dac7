/**
 * The numbers in one page's layout questions, all drawn from its ticket: the page lays boxes out by
 * them, and the server knows by its own arithmetic what a layout engine must make of them
 * (src/challenge/evidence/layout-answers.ts). They are no secret. What was measured for one ticket fits no
 * other, and a document without layout cannot measure at all.
 */
export interface LayoutQuestions {
  /** CSS Flexbox 9.7, growing: a row, what each item starts from, its share, and its place. */
  readonly grow: {
    readonly width: number;
    readonly bases: readonly number[];
    readonly shares: readonly number[];
    readonly orders: readonly number[];
  };
  /** CSS Flexbox 9.7, shrinking: the items together are wider than their row. */
  readonly shrink: {
    readonly width: number;
    readonly bases: readonly number[];
    readonly shares: readonly number[];
  };
  /** CSS Grid 12.7: one fixed column and two by fraction, two gaps, and a cell that may span. */
  readonly grid: {
    readonly width: number;
    readonly column: number;
    readonly fractions: readonly number[];
    readonly rows: readonly number[];
    readonly gap: number;
    readonly at: readonly number[];
    readonly span: number;
  };
  /** CSS 2.2, 8.3.1: a margin, the negative one after it, and that of the latter's first child. */
  readonly collapse: {
    readonly height: number;
    readonly after: number;
    readonly before: number;
    readonly inner: number;
  };
  /** CSS 2.2, 9.5.1: three floats of which only two fit beside each other. */
  readonly float: {
    readonly width: number;
    readonly widths: readonly number[];
    readonly heights: readonly number[];
  };
  /** CSS 2.2, 8.4 and CSS Values 10: padding in percent of a width, and a calculated width. */
  readonly percent: {
    readonly width: number;
    readonly padding: number;
    readonly share: number;
    readonly minus: number;
    readonly height: number;
  };
  /** CSS 2.2, 10.3.7: what automatic margins leave of a positioned box. */
  readonly centre: { readonly left: number; readonly right: number; readonly width: number };
  /** CSS Transforms 1: the bounds of a box that is turned and scaled. */
  readonly turn: {
    readonly width: number;
    readonly height: number;
    readonly degrees: number;
    readonly tenths: number;
  };
}

/** Side of the square in which everything is laid out, in CSS pixels; also the measure of the others. */
export const LAYOUT_SIDE = 1000;

/** Draws the questions of one ticket. The same text gives the same questions everywhere. */
export function layoutQuestions(ticket: string): LayoutQuestions {
  const draw = drawFrom(ticket);
  const three = (from: number, to: number) => [draw(from, to), draw(from, to), draw(from, to)];
  const shrinkBases = three(120, 280);
  const floats = [draw(110, 190), draw(110, 190)];
  return {
    grow: {
      width: draw(600, 900),
      bases: three(20, 180),
      shares: three(1, 5),
      orders: three(-9, 9),
    },
    shrink: {
      // At most a quarter is missing, so that no item reaches zero with shares up to three.
      width: sum(shrinkBases) - draw(30, 90),
      bases: shrinkBases,
      shares: three(1, 3),
    },
    grid: {
      width: draw(500, 900),
      column: draw(50, 150),
      fractions: [draw(1, 4), draw(1, 4)],
      rows: three(20, 60),
      gap: draw(3, 30),
      at: [draw(0, 2), draw(0, 2)],
      span: draw(1, 2),
    },
    collapse: {
      height: draw(10, 60),
      after: draw(20, 80),
      before: -draw(5, 25),
      inner: draw(20, 80),
    },
    float: {
      width: sum(floats) + draw(0, 40),
      widths: [...floats, draw(60, 190)],
      heights: three(15, 80),
    },
    percent: {
      width: draw(300, 700),
      padding: draw(2, 14),
      share: draw(30, 80),
      minus: draw(5, 60),
      height: draw(10, 90),
    },
    centre: { left: draw(10, 200), right: draw(10, 200), width: draw(50, 400) },
    turn: {
      width: draw(60, 160),
      height: draw(60, 160),
      degrees: draw(5, 85),
      tenths: draw(6, 18),
    },
  };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Whole numbers that follow from a text: FNV-1a over it, then Marsaglia's 32-bit xorshift. */
function drawFrom(text: string): (from: number, to: number) => number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  return (from, to) => {
    state ||= 1;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    // The low bits of the generator are its weakest: the product brings all of them to the top.
    const high = Math.imul(state, 0x9e3779b1) >>> 8;
    return from + (high % (to - from + 1));
  };
}
