import type { Draw } from '../cascade/draw.ts';
import { condition } from '../cascade/rules.ts';
import { above, another, CLASS, itself } from '../cascade/selectors.ts';
import type { Leaf } from '../cascade/tree.ts';
import type { Scene } from './scene.ts';

/** A rule that makes a browser load something for one leaf. */
export interface Claim {
  /** The number of the URL that is loaded when the claim wins. */
  readonly number: number;
  readonly css: string;
  readonly applies: boolean;
  /** Whether it applies before the layout is complete: while containers have no size yet, and while they are empty. */
  readonly early: readonly [unsized: boolean, empty: boolean];
  readonly specificity: number;
  readonly important: boolean;
}

interface Asked extends Pick<Claim, 'number' | 'applies'> {
  readonly declaration: string;
  readonly pseudo: string;
}

/** Reasons why a claim does not apply. */
type Fault = 'selector' | 'condition' | 'media' | 'container' | 'has';
const FAULTS = ['selector', 'condition', 'media', 'container', 'has'] as const;

/** Least distance between a bound and the compared value, in pixels, because scaled pages round. */
const CLEAR_PX = 16;

/** Draws a rule that sets `declaration` for a leaf, with one fault if it must not apply. `pseudo` ends its selector. */
export function drawClaim(
  leaf: Leaf,
  scene: Scene,
  draw: Draw,
  { number, applies, declaration, pseudo }: Asked,
): Claim {
  const { tree } = scene;
  const fault: Fault | undefined = applies ? undefined : draw.of(FAULTS);
  const important = draw.int(0, 3) === 0;
  const isAbout = (part: Fault) => fault === part || (fault !== 'selector' && draw.int(0, 3) === 0);
  const [own, ownWeight] =
    fault === 'selector' ? another(leaf, tree, draw) : itself(leaf, tree, draw);
  const block = `${pseudo}{${declaration}${important ? '!important' : ''}}`;
  let css: string;
  let weight = ownWeight;
  if (isAbout('has')) {
    css = withHas(leaf, scene, draw, { holds: fault !== 'has', rule: `${own}${block}` });
    weight += 2 * CLASS;
  } else {
    const isNested = fault !== 'selector' && draw.flip();
    const [inFront, frontWeight] = isNested ? above(leaf, tree, draw) : (['', 0] as const);
    css = `${inFront}${own}${block}`;
    weight += frontWeight;
  }
  const isContained = isAbout('container');
  const isLeast = draw.flip();
  if (isContained) {
    css = inContainer(leaf, scene, draw, { holds: fault !== 'container', isLeast, rule: css });
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

/** `:has()` is three years newer than the other features (Firefox 121). Browsers without it get another rule. */
function withHas(
  { classes: [one, two], middle, group, before }: Leaf,
  { tree: { foreign } }: Scene,
  draw: Draw,
  { holds, rule }: { readonly holds: boolean; readonly rule: string },
): string {
  const [neighbour] = before[0]?.classes ?? [one];
  const relative = holds
    ? draw.of([`>.${one}`, `.${two}`, `>.${neighbour}`, `:not(.${foreign})`])
    : draw.of([
        `>.${foreign}`,
        `.${one} .${two}`,
        `>.${group.classes[0]}`,
        `.${one}+.${neighbour}`,
      ]);
  const [name] = middle.classes;
  const without = holds ? `@supports not selector(:has(a)){.${name}:not(.${foreign}) ${rule}}` : '';
  return `@supports selector(:has(a)){.${name}:has(${relative}) ${rule}}${without}`;
}

/** A container query (CSS Containment 3), for browsers that support it. The container is the block around the leaf. */
function inContainer(
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
  const without = holds ? `@supports not (container-type:inline-size){${rule}}` : '';
  const query = bound('width', width, holds, draw, isLeast);
  return `@supports (container-type:inline-size){@container ${query}{${rule}}}${without}`;
}

/** A media query about the frame (Media Queries 3). */
function media({ width, height }: Scene, draw: Draw, holds: boolean): string {
  const lying = width > height === holds ? 'landscape' : 'portrait';
  const about = (isMet: boolean) =>
    draw.flip() ? bound('width', width, isMet, draw) : bound('height', height, isMet, draw);
  switch (draw.int(0, 4)) {
    case 0:
      return `(orientation:${lying})`;
    case 1:
      return `screen and ${about(holds)}`;
    case 2:
      return holds ? `print,${about(true)}` : `${about(true)} and ${about(false)}`;
    case 3:
      return `not all and ${about(!holds)}`;
    default:
      return about(holds);
  }
}

/** A bound such as `(min-width:300px)`. */
function bound(
  name: string,
  length: number,
  holds: boolean,
  draw: Draw,
  isLeast = draw.flip(),
): string {
  const apart = draw.int(CLEAR_PX, 150);
  const px =
    isLeast === holds ? Math.max(1, Math.floor(length) - apart) : Math.ceil(length) + apart;
  return `(${isLeast ? 'min' : 'max'}-${name}:${px}px)`;
}
