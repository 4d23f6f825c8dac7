import type { Draw } from './draw.ts';
import type { Leaf, Tree } from './tree.ts';

/** The text of a selector, or of the start of a selector, with its specificity (Selectors 3, section 9). */
type Part = readonly [text: string, specificity: number];

/**
 * The specificity of one class, attribute or pseudo-class. It is higher than that of all element names of a selector
 * together.
 */
export const CLASS = 10;

// The writers are functions, so that only the text of the picked writer is built.
type WriteSelector = (leaf: Leaf, foreign: string) => Part;
type Writers = readonly [WriteSelector, ...WriteSelector[]];

const MATCHING: Writers = [
  ({ classes: [one] }) => [`.${one}`, CLASS],
  ({ classes: [, two] }) => [`div.${two}`, CLASS + 1],
  ({ classes: [one, two] }) => [`.${one}.${two}`, 2 * CLASS],
  ({ classes: [one], place }) => [`.${one}:nth-child(${place})`, 2 * CLASS],
  ({ classes: [, two], place }) => [
    `.${two}:nth-child(${place % 2 === 1 ? 'odd' : 'even'})`,
    2 * CLASS,
  ],
  ({ classes: [one] }, foreign) => [`.${one}:not(.${foreign})`, 2 * CLASS],
  ({ classes: [one, two] }) => [`.${two}[class~=${one}]`, 2 * CLASS],
  ({ classes: [one], place }) => [`.${one}:nth-last-child(${4 - place})`, 2 * CLASS],
];

const NOT_MATCHING: Writers = [
  ({ classes: [one] }, foreign) => [`.${one}.${foreign}`, 2 * CLASS],
  ({ classes: [one, two] }) => [`.${one}:not(.${two})`, 2 * CLASS],
  ({ classes: [, two], place }) => [`.${two}:nth-child(${(place % 3) + 1})`, 2 * CLASS],
  ({ classes: [one], group }) => [`.${group.classes[0]}>.${one}`, 2 * CLASS],
  ({ classes: [one], middle }) => [`.${one} .${middle.classes[1]}`, 2 * CLASS],
  ({ classes: [, two], middle }) => [`.${middle.classes[0]}+.${two}`, 2 * CLASS],
  ({ classes: [one] }) => [`.${one}:empty[class=${one}]`, 3 * CLASS],
  // An invalid selector makes the whole rule invalid (Selectors 3, section 5).
  ({ classes: [one, two] }) => [`.${one},.5${two}`, CLASS],
  ({ classes: [, two] }, foreign) => [`.${two}:${foreign}`, 2 * CLASS],
  ({ classes: [one] }, foreign) => [`.${one}::${foreign}`, 2 * CLASS],
  ({ classes: [one, two] }) => [`.${one}..${two}`, 2 * CLASS],
];

const OF_ANCESTORS: Writers = [
  ({ middle }) => [`.${middle.classes[0]}>`, CLASS],
  ({ group }) => [`.${group.classes[1]} `, CLASS],
  ({ middle, group }) => [`.${group.classes[0]}>.${middle.classes[1]}>`, 2 * CLASS],
  (_leaf, foreign) => [`:not(.${foreign})>`, CLASS],
  ({ group }) => [`.${group.classes[0]}>* `, CLASS],
];

/** These writers are only for leaves that have an earlier sibling. */
const OF_EARLIER_SIBLINGS: Writers = [
  ({ before }) => [`.${before[0]?.classes[0] ?? ''}~`, CLASS],
  ({ before }) => [`.${before.at(-1)?.classes[1] ?? ''}+`, CLASS],
];

/** A selector that matches the leaf. */
export function matchingSelector(leaf: Leaf, { foreign }: Tree, draw: Draw): Part {
  return draw.pick(MATCHING)(leaf, foreign);
}

/** A selector that does not match the leaf. */
export function otherSelector(leaf: Leaf, { foreign }: Tree, draw: Draw): Part {
  return draw.pick(NOT_MATCHING)(leaf, foreign);
}

/** The start of a selector, which matches an ancestor or an earlier sibling of the leaf. */
export function contextSelector(leaf: Leaf, { foreign }: Tree, draw: Draw): Part {
  const usesSibling = leaf.before.length > 0 && draw.int(0, 2) === 0;
  return draw.pick(usesSibling ? OF_EARLIER_SIBLINGS : OF_ANCESTORS)(leaf, foreign);
}
