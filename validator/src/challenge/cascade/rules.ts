import type { Draw } from './draw.ts';
import { contextSelector, otherSelector, matchingSelector } from './selectors.ts';
import type { Leaf, Tree } from './tree.ts';
import { drawDeclarations, type Property, type SetProperties } from './declarations.ts';

/** One rule about the width of one leaf. Not every rule applies. */
export interface StyleRule {
  readonly css: string;
  readonly applies: boolean;
  readonly specificity: number;
  readonly important: boolean;
  /** The properties that the rule sets, in CSS pixels. */
  readonly sets: SetProperties;
}

/**
 * Returns the width that these rules give a leaf (CSS 2.2, 10.4). The rules must be in the order of the sheet.
 * Undefined when no rule sets a width.
 */
export function widthUnder(rules: readonly StyleRule[]): number | undefined {
  const width = valueOf('width', rules);
  if (width === undefined) return undefined;
  const maxWidth = valueOf('max-width', rules) ?? width;
  return Math.max(Math.min(width, maxWidth), valueOf('min-width', rules) ?? 0);
}

function valueOf(property: Property, rules: readonly StyleRule[]): number | undefined {
  return winnerOf(rules.filter(({ sets }) => property in sets))?.sets[property];
}

type Competing = Pick<StyleRule, 'applies' | 'specificity' | 'important'>;

/** The rule that wins for one property (CSS Cascade 4, section 6.1). The rules must be in the order of the sheet. */
export function winnerOf<T extends Competing>(rules: readonly T[]): T | undefined {
  let winner: T | undefined;
  for (const rule of rules) {
    if (!rule.applies) continue;
    const isStronger =
      winner === undefined ||
      (rule.important === winner.important
        ? rule.specificity >= winner.specificity
        : rule.important);
    if (isStronger) winner = rule;
  }
  return winner;
}

const APPLYING_RULES = 3;
const OTHER_RULES = 2;

/** Draws rules for the width of one leaf, in random order. */
export function competingRules(leaf: Leaf, tree: Tree, draw: Draw): readonly StyleRule[] {
  const rules: StyleRule[] = [];
  for (let index = 0; index < APPLYING_RULES + OTHER_RULES; index++)
    rules.push(drawRule(leaf, tree, draw, index));
  return rules;
}

function drawRule(leaf: Leaf, tree: Tree, draw: Draw, index: number): StyleRule {
  const applies = index < APPLYING_RULES;
  // A rule that does not apply selects another element or has a false condition.
  const isSelected = applies || draw.flip();
  const isConditionTrue = applies || !isSelected;
  const [prefix, prefixWeight] =
    isSelected && draw.flip() ? contextSelector(leaf, tree, draw) : (['', 0] as const);
  const [selector, selectorWeight] = isSelected
    ? matchingSelector(leaf, tree, draw)
    : otherSelector(leaf, tree, draw);
  const important = draw.int(0, 3) === 0;
  const { text, sets, definitions } = drawDeclarations(leaf, draw, { ruleIndex: index, important });
  const rule = `${prefix}${selector}{${text}}`;
  return {
    css:
      definitions +
      (draw.flip() && isConditionTrue ? rule : `${condition(draw, isConditionTrue)}{${rule}}`),
    applies,
    specificity: prefixWeight + selectorWeight,
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
export function condition(draw: Draw, isTrue: boolean): string {
  return isTrue ? draw.pick(TRUE_CONDITIONS) : draw.pick(FALSE_CONDITIONS);
}
