import type { Draw } from '../cascade/draw.ts';

/** A function that mixes the bits of a whole number, and the same function as JavaScript statements about `h`. */
export interface Mix {
  readonly apply: (h: number) => number;
  readonly source: string;
}

/** Each step is a one-to-one mapping of 32 bits, so no sequence of steps loses a part of the state. */
const STEPS: Readonly<Record<'add' | 'multiply' | 'shift' | 'turn' | 'flip', (draw: Draw) => Mix>> =
  {
    add(draw) {
      const by = draw.int32();
      return { apply: (h) => (h + by) | 0, source: `h=h+${by}|0;` };
    },
    multiply(draw) {
      const by = draw.int32() | 1;
      return { apply: (h) => Math.imul(h, by), source: `h=Math.imul(h,${by});` };
    },
    shift(draw) {
      const by = draw.int(11, 19);
      return { apply: (h) => h ^ (h >>> by), source: `h^=h>>>${by};` };
    },
    turn(draw) {
      const by = draw.int(5, 27);
      return {
        apply: (h) => (h << by) | (h >>> (32 - by)),
        source: `h=h<<${by}|h>>>${32 - by};`,
      };
    },
    flip(draw) {
      const by = draw.int32();
      return { apply: (h) => h ^ by, source: `h^=${by};` };
    },
  };

/** Five to seven steps in random order. The first three kinds are always included. */
export function drawMix(draw: Draw): Mix {
  const kinds = ['add', 'multiply', 'shift'] as (keyof typeof STEPS)[];
  for (let more = draw.int(2, 4); more > 0; more--) {
    kinds.push(draw.of(['add', 'multiply', 'shift', 'turn', 'flip']));
  }
  const steps = draw.shuffled(kinds).map((kind) => STEPS[kind](draw));
  return {
    apply: (h) => steps.reduce((mixed, step) => step.apply(mixed), h),
    source: steps.map(({ source }) => source).join(''),
  };
}
