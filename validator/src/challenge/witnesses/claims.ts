import type { Draw } from '../cascade/draw.ts';
import { condition } from '../cascade/rules.ts';
import { contextSelector, otherSelector, CLASS, matchingSelector } from '../cascade/selectors.ts';
import type { Leaf } from '../cascade/tree.ts';
import type { Scene } from './scene.ts';

/** A rule that makes a browser load something for one leaf. */
export interface Claim {
  /** The number of the URL that is loaded when the claim wins. */
  readonly number: number;
  readonly css: string;
  readonly applies: boolean;
  /**
   * Whether the claim applies before the layout is complete: while containers have no size yet, and while they are
   * empty.
   */
  readonly early: readonly [unsized: boolean, empty: boolean];
  readonly specificity: number;
  readonly important: boolean;
}

interface ClaimToDraw extends Pick<Claim, 'number' | 'applies'> {
  readonly declaration: string;
  readonly pseudo: string;
}

/** Reasons why a claim does not apply. */
type Fault = 'selector' | 'condition' | 'media' | 'container' | 'has';
const FAULTS = ['selector', 'condition', 'media', 'container', 'has'] as const;

/**
 * Minimum distance between a bound and the compared value, in pixels. Without this distance, rounding on scaled pages
 * could change the result.
 */
const CLEAR_PX = 16;

/**
 * Draws a rule that sets `declaration` for a leaf. A rule that must not apply gets one fault. `pseudo` is the end of
 * its selector.
 */
export function drawClaim(
  leaf: Leaf,
  scene: Scene,
  draw: Draw,
  { number, applies, declaration, pseudo }: ClaimToDraw,
): Claim {
  const { tree } = scene;
  const fault: Fault | undefined = applies ? undefined : draw.pick(FAULTS);
  const important = draw.int(0, 3) === 0;
  const isAbout = (part: Fault) => fault === part || (fault !== 'selector' && draw.int(0, 3) === 0);
  const [selector, selectorWeight] =
    fault === 'selector' ? otherSelector(leaf, tree, draw) : matchingSelector(leaf, tree, draw);
  const block = `${pseudo}{${declaration}${important ? '!important' : ''}}`;
  let css: string;
  let weight = selectorWeight;
  if (isAbout('has')) {
    css = hasRule(leaf, scene, draw, { holds: fault !== 'has', rule: `${selector}${block}` });
    weight += 2 * CLASS;
  } else {
    const isNested = fault !== 'selector' && draw.flip();
    const [prefix, prefixWeight] = isNested
      ? contextSelector(leaf, tree, draw)
      : (['', 0] as const);
    css = `${prefix}${selector}${block}`;
    weight += prefixWeight;
  }
  const isContained = isAbout('container');
  const isLeast = draw.flip();
  if (isContained) {
    css = containerRule(leaf, scene, draw, { holds: fault !== 'container', isLeast, rule: css });
  }
  if (isAbout('media')) css = `@media ${media(scene, draw, fault !== 'media')}{${css}}`;
  if (isAbout('condition')) css = `${condition(draw, fault !== 'condition')}{${css}}`;
  const fitsEmpty = isContained ? !isLeast && (applies || fault === 'container') : applies;
  return {
    number,
    css,
    applies,
    early: [applies && !isContained, fitsEmpty],
    specificity: weight,
    important,
  };
}

/**
 * A rule with `:has()`, which is three years newer than the other features (Firefox 121). Browsers without `:has()` use
 * a fallback rule.
 */
function hasRule(
  { classes: [one, two], middle, group, before }: Leaf,
  { tree: { foreign } }: Scene,
  draw: Draw,
  { holds, rule }: { readonly holds: boolean; readonly rule: string },
): string {
  const [neighbour] = before[0]?.classes ?? [one];
  const relative = holds
    ? draw.pick([`>.${one}`, `.${two}`, `>.${neighbour}`, `:not(.${foreign})`])
    : draw.pick([
        `>.${foreign}`,
        `.${one} .${two}`,
        `>.${group.classes[0]}`,
        `.${one}+.${neighbour}`,
      ]);
  const [name] = middle.classes;
  const fallback = holds
    ? `@supports not selector(:has(a)){.${name}:not(.${foreign}) ${rule}}`
    : '';
  return `@supports selector(:has(a)){.${name}:has(${relative}) ${rule}}${fallback}`;
}

/** A container query (CSS Containment 3), for browsers that support it. The container is the block around the leaf. */
function containerRule(
  { middle }: Leaf,
  { containers }: Scene,
  draw: Draw,
  {
    holds,
    isLeast,
    rule,
  }: { readonly holds: boolean; readonly isLeast: boolean; readonly rule: string },
): string {
  const width = containers.get(middle) ?? 0;
  const fallback = holds ? `@supports not (container-type:inline-size){${rule}}` : '';
  const query = bound('width', width, holds, draw, isLeast);
  return `@supports (container-type:inline-size){@container ${query}{${rule}}}${fallback}`;
}

/** A media query about the size of the frame (Media Queries 3). `holds` decides whether it is true. */
function media({ width, height }: Scene, draw: Draw, holds: boolean): string {
  const orientation = width > height === holds ? 'landscape' : 'portrait';
  const boundThat = (isMet: boolean) =>
    draw.flip() ? bound('width', width, isMet, draw) : bound('height', height, isMet, draw);
  switch (draw.int(0, 4)) {
    case 0:
      return `(orientation:${orientation})`;
    case 1:
      return `screen and ${boundThat(holds)}`;
    case 2:
      return holds ? `print,${boundThat(true)}` : `${boundThat(true)} and ${boundThat(false)}`;
    case 3:
      return `not all and ${boundThat(!holds)}`;
    default:
      return boundThat(holds);
  }
}

/** A bound such as `(min-width:300px)`. `holds` decides whether `length` meets the bound. */
function bound(
  name: string,
  length: number,
  holds: boolean,
  draw: Draw,
  isLeast = draw.flip(),
): string {
  const distance = draw.int(CLEAR_PX, 150);
  const px =
    isLeast === holds ? Math.max(1, Math.floor(length) - distance) : Math.ceil(length) + distance;
  return `(${isLeast ? 'min' : 'max'}-${name}:${px}px)`;
}
