import { LAYOUT_SIDE } from '../../../page-contract/limits.ts';
import type { Draw } from './draw.ts';
import type { Leaf } from './tree.ts';

export type Property = 'width' | 'max-width' | 'min-width';
export type Sets = Readonly<Partial<Record<Property, number>>>;

const IMPORTANT = ['!important', ' ! important', '!IMPORTANT'] as const;
const WIDTH = ['width', 'WIDTH', '\\77idth', ' width/**/'] as const;
const BOUNDS = ['max-width', 'min-width'] as const;
const WHOLE = ['inherit', 'initial', 'auto', '100%'] as const;

/** The text between the braces of one rule. */
export interface Declarations {
  readonly text: string;
  /** In CSS pixels. */
  readonly sets: Sets;
  /** Further rules with the custom properties that the text uses. */
  readonly definitions: string;
}

/** Draws declarations about the width of a leaf. `at` is the index of their rule among the rules of this leaf. */
export function drawDeclarations(
  leaf: Leaf,
  draw: Draw,
  { at, important }: { readonly at: number; readonly important: boolean },
): Declarations {
  const end = important ? draw.of(IMPORTANT) : '';
  const { width, text, definitions } = drawWidth(leaf, draw, at);
  const lines = [`${draw.of(WIDTH)}:${text}${end}`];
  const sets: { -readonly [P in Property]?: number } = { width };
  if (draw.int(0, 2) === 0) {
    const property = draw.of(BOUNDS);
    const bound = draw.int(20, property === 'max-width' ? 900 : 300);
    sets[property] = bound;
    lines.push(`${property}:${spelled(bound, draw)}${end}`);
  }
  for (let junk = draw.int(0, 2); junk > 0; junk--) lines.push(draw.of(INVALID)(draw.int(20, 900)));
  return { text: joined(draw.shuffled(lines)), sets, definitions };
}

/** Concatenates, because join() copies each text and the page copies all of them again at the end. */
function joined([first = '', ...others]: readonly string[]): string {
  return others.reduce((text, line) => `${text};${line}`, first);
}

interface Width {
  readonly width: number;
  readonly text: string;
  readonly definitions: string;
}

/** A width and its spelling. */
function drawWidth({ classes, middle, group }: Leaf, draw: Draw, at: number): Width {
  const one = draw.int(20, 400);
  const other = draw.int(20, 400);
  const plain = (width: number, text: string): Width => ({ width, text, definitions: '' });
  switch (draw.int(0, 6)) {
    case 0:
      return plain(one, spelled(one, draw));
    case 1:
      return plain(one + other, `calc(${spelled(one, draw)} + ${spelled(other, draw)})`);
    case 2:
      // An inch has 96 pixels (CSS Values 3, section 5.2).
      return plain(96 + one, `calc(1in + ${one}px)`);
    case 3:
      return plain(LAYOUT_SIDE / 2 - one, `calc(50% - ${one}px)`);
    case 4:
      return plain(one, `var(--${classes[0]}${classes[1]},${one}px)`);
    case 5:
      // The block around the leaf sets no width.
      return plain(LAYOUT_SIDE, draw.of(WHOLE));
    default: {
      // The property is inherited from the nearest block that sets it. No other rule uses this name.
      const name = `--${classes[1]}${at}`;
      const nearest = `.${middle.classes[0]}{${name}:${one}px}`;
      const farther = `.${group.classes[0]}{${name}:${other}px}`;
      return {
        width: one + other,
        text: `calc(var(${name}) + ${other}px)`,
        definitions: draw.flip() ? farther + nearest : nearest + farther,
      };
    }
  }
}

type Write = (px: number) => string;

/** Ways to write a length (CSS Syntax 3). */
const SPELLINGS: readonly [Write, ...Write[]] = [
  (px) => `${px}px`,
  (px) => `${px}PX`,
  (px) => `+${px}px`,
  (px) => `0${px}px`,
  (px) => `${px}.0px`,
  (px) => `/**/${px}px`,
];

function spelled(px: number, draw: Draw): string {
  return draw.of(SPELLINGS)(px);
}

/**
 * Invalid declarations, which a browser ignores (CSS Syntax 3, section 2.2). A number without a unit is not in this
 * list, because a page without a doctype reads it as pixels.
 */
const INVALID: readonly [Write, ...Write[]] = [
  (px) => `width:-${px}px`,
  (px) => `width:${px} px`,
  (px) => `width:${px}px ${px}px`,
  (px) => `width:${px}px!ie`,
  (px) => `width:calc(${px})`,
  (px) => `width:calc(${px}px +${px}px)`,
  (px) => `width:calc(${px}px*${px}px)`,
  (px) => `width:#${px}px`,
  (px) => `width=${px}px`,
  (px) => `width ${px}px`,
  (px) => `:${px}px`,
  (px) => `*width:${px}px`,
  (px) => `max-width:${px}px,${px}px`,
  (px) => `min-width:auto ${px}px`,
];
