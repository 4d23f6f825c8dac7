import type { Draw } from './draw.ts';
import { above, another, itself } from './selectors.ts';
import type { Leaf, Tree } from './tree.ts';
import { drawDeclarations, type Property, type Sets } from './declarations.ts';

/** One rule about the width of one leaf. Some rules do not apply. */
export interface StyleRule {
  readonly css: string;
  readonly applies: boolean;
  readonly specificity: number;
  readonly important: boolean;
  /** The properties that the rule sets, in CSS pixels. */
  readonly sets: Sets;
}

/** The width of a leaf with these rules (CSS 2.2, 10.4). The rules have the order of the sheet. */
export function widthUnder(rules: readonly StyleRule[]): number | undefined {
  const width = valueOf('width', rules);
  if (width === undefined) return undefined;
  const most = valueOf('max-width', rules) ?? width;
  return Math.max(Math.min(width, most), valueOf('min-width', rules) ?? 0);
}

function valueOf(property: Property, rules: readonly StyleRule[]): number | undefined {
  return winnerOf(rules.filter(({ sets }) => property in sets))?.sets[property];
}

type Competing = Pick<StyleRule, 'applies' | 'specificity' | 'important'>;

/** The rule that wins for one property (CSS Cascade 4, section 6.1). The rules have the order of the sheet. */
export function winnerOf<T extends Competing>(rules: readonly T[]): T | undefined {
  let winner: T | undefined;
  for (const rule of rules) {
    if (!rule.applies) continue;
    const isOver =
      winner === undefined ||
      (rule.important === winner.important
        ? rule.specificity >= winner.specificity
        : rule.important);
    if (isOver) winner = rule;
  }
  return winner;
}

const APPLYING = 3;
const OTHERS = 2;

/** Draws rules for the width of one leaf, in random order. */
export function competingRules(leaf: Leaf, tree: Tree, draw: Draw): readonly StyleRule[] {
  const rules: StyleRule[] = [];
  for (let at = 0; at < APPLYING + OTHERS; at++) rules.push(drawRule(leaf, tree, draw, at));
  return rules;
}

/** Draws the rule with this index for a leaf. */
function drawRule(leaf: Leaf, tree: Tree, draw: Draw, at: number): StyleRule {
  const applies = at < APPLYING;
  // A rule that does not apply selects another element or has a false condition.
  const isSelected = applies || draw.flip();
  const isConditionTrue = applies || !isSelected;
  const [inFront, frontWeight] =
    isSelected && draw.flip() ? above(leaf, tree, draw) : (['', 0] as const);
  const [own, ownWeight] = isSelected ? itself(leaf, tree, draw) : another(leaf, tree, draw);
  const important = draw.int(0, 3) === 0;
  const { text, sets, definitions } = drawDeclarations(leaf, draw, { at, important });
  const rule = `${inFront}${own}{${text}}`;
  return {
    css:
      definitions +
      (draw.flip() && isConditionTrue ? rule : `${condition(draw, isConditionTrue)}{${rule}}`),
    applies,
    specificity: frontWeight + ownWeight,
    important,
    sets,
  };
}

const TRUE_CONDITIONS = [
  '@media not print',
  '@media (max-width:99999px)',
  '@supports (display:block)',
  '@supports not (display:k)',
] as const;
const FALSE_CONDITIONS = [
  '@media print',
  '@media (min-width:99999px)',
  '@supports (display:k)',
  '@supports not (display:block)',
] as const;

/** A condition that is true on every screen, or false on every screen (CSS Conditional 3). */
export function condition(draw: Draw, holds: boolean): string {
  return holds ? draw.of(TRUE_CONDITIONS) : draw.of(FALSE_CONDITIONS);
}
