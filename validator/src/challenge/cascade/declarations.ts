import { LAYOUT_SIDE } from '../../../page-contract/limits.ts';
import type { Draw } from './draw.ts';
import type { Leaf } from './tree.ts';

export type Property = 'width' | 'max-width' | 'min-width';
export type SetProperties = Readonly<Partial<Record<Property, number>>>;

const IMPORTANT = ['!important', ' ! important', '!IMPORTANT'] as const;
const WIDTH = ['width', 'WIDTH', '\\77idth', ' width/**/'] as const;
const BOUNDS = ['max-width', 'min-width'] as const;
const WHOLE = ['inherit', 'initial', 'auto', '100%'] as const;

/** The text between the braces of one rule. */
interface Declarations {
  readonly text: string;
  /** The properties that the rule sets, in CSS pixels. */
  readonly sets: SetProperties;
  /** Further rules with the custom properties that the text uses. */
  readonly definitions: string;
}

/**
 * Draws the declarations of one rule about the width of a leaf. `ruleIndex` is the index of the rule among the rules of
 * this leaf.
 */
export function drawDeclarations(
  leaf: Leaf,
  draw: Draw,
  { ruleIndex, important }: { readonly ruleIndex: number; readonly important: boolean },
): Declarations {
  const end = important ? draw.pick(IMPORTANT) : '';
  const { width, text, definitions } = drawWidth(leaf, draw, ruleIndex);
  const lines = [`${draw.pick(WIDTH)}:${text}${end}`];
  const sets: { -readonly [P in Property]?: number } = { width };
  if (draw.int(0, 2) === 0) {
    const property = draw.pick(BOUNDS);
    const bound = draw.int(20, property === 'max-width' ? 900 : 300);
    sets[property] = bound;
    lines.push(`${property}:${spellLength(bound, draw)}${end}`);
  }
  for (let junk = draw.int(0, 2); junk > 0; junk--)
    lines.push(draw.pick(INVALID)(draw.int(20, 900)));
  return { text: joinDeclarations(draw.shuffle(lines)), sets, definitions };
}

/** join() is slower here: it would copy each text, and building the page copies all texts again. */
function joinDeclarations([first = '', ...otherLines]: readonly string[]): string {
  return otherLines.reduce((text, line) => `${text};${line}`, first);
}

interface Width {
  readonly width: number;
  readonly text: string;
  readonly definitions: string;
}

function drawWidth({ classes, middle, group }: Leaf, draw: Draw, ruleIndex: number): Width {
  const firstPx = draw.int(20, 400);
  const secondPx = draw.int(20, 400);
  const plain = (width: number, text: string): Width => ({ width, text, definitions: '' });
  switch (draw.int(0, 6)) {
    case 0:
      return plain(firstPx, spellLength(firstPx, draw));
    case 1:
      return plain(
        firstPx + secondPx,
        `calc(${spellLength(firstPx, draw)} + ${spellLength(secondPx, draw)})`,
      );
    case 2:
      // An inch has 96 pixels (CSS Values 3, section 5.2).
      return plain(96 + firstPx, `calc(1in + ${firstPx}px)`);
    case 3:
      return plain(LAYOUT_SIDE / 2 - firstPx, `calc(50% - ${firstPx}px)`);
    case 4:
      return plain(firstPx, `var(--${classes[0]}${classes[1]},${firstPx}px)`);
    case 5:
      // The block around the leaf sets no width.
      return plain(LAYOUT_SIDE, draw.pick(WHOLE));
    default: {
      // The leaf inherits the custom property from the nearest block that sets it. No other rule uses this name.
      const name = `--${classes[1]}${ruleIndex}`;
      const nearest = `.${middle.classes[0]}{${name}:${firstPx}px}`;
      const farther = `.${group.classes[0]}{${name}:${secondPx}px}`;
      return {
        width: firstPx + secondPx,
        text: `calc(var(${name}) + ${secondPx}px)`,
        definitions: draw.flip() ? farther + nearest : nearest + farther,
      };
    }
  }
}

type WriteLength = (px: number) => string;

/** Ways to write a length (CSS Syntax 3). */
const SPELLINGS: readonly [WriteLength, ...WriteLength[]] = [
  (px) => `${px}px`,
  (px) => `${px}PX`,
  (px) => `+${px}px`,
  (px) => `0${px}px`,
  (px) => `${px}.0px`,
  (px) => `/**/${px}px`,
];

function spellLength(px: number, draw: Draw): string {
  return draw.pick(SPELLINGS)(px);
}

/**
 * Invalid declarations, which a browser ignores (CSS Syntax 3, section 2.2). A number without a unit is not in this
 * list, because a page without a doctype reads it as pixels.
 */
const INVALID: readonly [WriteLength, ...WriteLength[]] = [
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
