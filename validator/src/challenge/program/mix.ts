import type { Draw } from '../cascade/draw.ts';

/** A function that mixes the bits of a whole number, and the same function as JavaScript statements that change `h`. */
export interface Mix {
  readonly apply: (h: number) => number;
  readonly source: string;
}

/** Each step maps 32 bits one-to-one, so no sequence of steps loses information. */
const STEPS: Readonly<Record<'add' | 'multiply' | 'shift' | 'turn' | 'flip', (draw: Draw) => Mix>> =
  {
    add(draw) {
      const amount = draw.int32();
      return { apply: (h) => (h + amount) | 0, source: `h=h+${amount}|0;` };
    },
    multiply(draw) {
      const factor = draw.int32() | 1;
      return { apply: (h) => Math.imul(h, factor), source: `h=Math.imul(h,${factor});` };
    },
    shift(draw) {
      const bits = draw.int(11, 19);
      return { apply: (h) => h ^ (h >>> bits), source: `h^=h>>>${bits};` };
    },
    turn(draw) {
      const bits = draw.int(5, 27);
      return {
        apply: (h) => (h << bits) | (h >>> (32 - bits)),
        source: `h=h<<${bits}|h>>>${32 - bits};`,
      };
    },
    flip(draw) {
      const mask = draw.int32();
      return { apply: (h) => h ^ mask, source: `h^=${mask};` };
    },
  };

/** Five to seven steps in random order. The first three kinds are always included. */
export function drawMix(draw: Draw): Mix {
  const kinds = ['add', 'multiply', 'shift'] as (keyof typeof STEPS)[];
  for (let count = draw.int(2, 4); count > 0; count--) {
    kinds.push(draw.pick(['add', 'multiply', 'shift', 'turn', 'flip']));
  }
  const steps = draw.shuffle(kinds).map((kind) => STEPS[kind](draw));
  return {
    apply: (h) => steps.reduce((state, step) => step.apply(state), h),
    source: steps.map(({ source }) => source).join(''),
  };
}
