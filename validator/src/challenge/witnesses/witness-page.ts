import { LAYOUT_SIDE } from '../../../page-contract/limits.ts';
import { WITNESSES } from '../../../page-contract/limits.ts';
import { escapeHtml } from '../../pages/escape-html.ts';
import type { Draw } from '../cascade/draw.ts';
import { winnerOf } from '../cascade/rules.ts';
import { matchingSelector } from '../cascade/selectors.ts';
import type { Leaf } from '../cascade/tree.ts';
import { type Claim, drawClaim } from './claims.ts';
import { drawScene, type Scene } from './scene.ts';

/** The content of one URL of the page. Widths and heights are the sizes that the page measures, in CSS pixels. */
export type Witness =
  | { readonly kind: 'image'; readonly width: number; readonly height: number }
  /** A font with one glyph for this character. */
  | { readonly kind: 'font'; readonly width: number; readonly character: number };

/** A document whose rules name many URLs, and the URLs that a browser loads. */
export interface WitnessPage {
  /**
   * The text for the page: width and height of the frame, a `|`, and the document. It is escaped for a double-quoted
   * attribute.
   */
  readonly text: string;
  /** The witnesses. The key is the number of a URL. */
  readonly witnesses: ReadonlyMap<number, Witness>;
  /** Which URLs a browser loads. It is computed on demand, because issuing a page does not need it. */
  readonly loading: () => Loading;
}

/** Which URLs of a document a browser loads, and which URLs no browser loads. */
interface Loading {
  /** The numbers of the loaded URLs. The key is the position of the leaf in the document. */
  readonly loaded: ReadonlyMap<number, number>;
  /** Numbers of the URLs that no browser loads. Some of the other URLs are loaded only by some browsers. */
  readonly decoys: ReadonlySet<number>;
}

/** Text size in the document, in pixels. It is larger than any minimum font size that people set. */
export const TEXT_PX = 200;

/** Number of leaves for which browsers load nothing although rules name URLs. */
const BARE = 2;
/** Maximum number of URLs in one document. */
export const MAX_URLS = 3 * WITNESSES.images + 4 * WITNESSES.fonts + 2 * BARE;

const NUMBERS = Array.from({ length: MAX_URLS }, (_, index) => index);

const BASE = `html{overflow:hidden;font:${TEXT_PX}px/0 serif;-webkit-text-size-adjust:none;text-size-adjust:none}body{margin:0}p{margin:0;width:${LAYOUT_SIDE}px;height:1px}body>div{display:flex}div>div{min-width:0;container-type:inline-size}div>div>div{float:left;container-type:normal}:before{vertical-align:top}:empty{font-size:0}`;

const BEGIN = escapeHtml(`<!doctype html><style>${BASE}`);
const END_OF_STYLE = escapeHtml('</style><p></p>');
const END_OF_DIV = escapeHtml('</div>');

/** Draws a document. `urlOf` returns the URL for a number from 0 to 255. */
export function drawWitnessPage(draw: Draw, urlOf: (number: number) => string): WitnessPage {
  return new Painter(draw, urlOf).paint();
}

class Painter {
  readonly #draw: Draw;
  readonly #urlOf: (number: number) => string;
  readonly #scene: Scene;
  readonly #numbers: number[];
  readonly #witnesses = new Map<number, Witness>();
  readonly #texts = new Map<Leaf, string>();
  #css = '';
  /**
   * The leaves with their claims in the order of the sheet. Hidden leaves are missing here, because none of their
   * claims wins.
   */
  readonly #contests: { readonly leaf: Leaf; readonly claims: readonly Claim[] }[] = [];
  /** Numbers of URLs that only WebKit loads. */
  readonly #loadedAnyway: number[] = [];

  constructor(draw: Draw, urlOf: (number: number) => string) {
    this.#draw = draw;
    this.#urlOf = urlOf;
    this.#scene = drawScene(draw);
    // The numbers are shuffled, so that a number does not reveal its use.
    this.#numbers = draw.shuffle(NUMBERS);
  }

  paint(): WitnessPage {
    const { tree, css, width, height } = this.#scene;
    const leaves = this.#draw.shuffle(tree.leaves);
    for (const leaf of leaves.splice(0, WITNESSES.images)) {
      this.#compete(
        leaf,
        [true, true, false].map((applies) => this.#image(leaf, applies)),
      );
    }
    for (const leaf of leaves.splice(0, WITNESSES.fonts)) {
      this.#texts.set(leaf, String.fromCharCode(this.#draw.int(0x61, 0x7a)));
      this.#compete(
        leaf,
        [true, false].map((applies) => this.#font(leaf, applies)),
      );
    }
    for (const leaf of leaves.splice(0, BARE)) {
      const isHidden = this.#draw.flip();
      if (isHidden) this.#css += `${matchingSelector(leaf, tree, this.#draw)[0]}{display:none}`;
      this.#compete(
        leaf,
        [isHidden, false].map((applies) => this.#image(leaf, applies)),
        isHidden,
      );
    }
    // The rules contain no character that a double-quoted attribute has to escape.
    const html = `${BEGIN}${css}${this.#css}${END_OF_STYLE}${this.#body()}`;
    return {
      text: `${width}.${height}|${html}`,
      witnesses: this.#witnesses,
      loading: () => this.#loading(),
    };
  }

  #compete(leaf: Leaf, claims: readonly Claim[], isHidden = false): void {
    const shuffledClaims = this.#draw.shuffle(claims);
    for (const { css } of shuffledClaims) this.#css += css;
    if (!isHidden) this.#contests.push({ leaf, claims: shuffledClaims });
  }

  /** Every URL starts as a decoy. A URL that some browser would load is removed from the decoys. */
  #loading(): Loading {
    const loaded = new Map<number, number>();
    const decoys = new Set(this.#witnesses.keys());
    for (const { leaf, claims } of this.#contests) {
      const winner = winnerOf(claims);
      if (winner) loaded.set(this.#scene.tree.leaves.indexOf(leaf), winner.number);
      if (winner) decoys.delete(winner.number);
      // Firefox and WebKit style the content of a container once before they compute its width. So they can load other
      // URLs first.
      for (const time of [0, 1] as const) {
        const earlyWinner = winnerOf(
          claims.map((claim) => ({ ...claim, applies: claim.early[time] })),
        );
        if (earlyWinner) decoys.delete(earlyWinner.number);
      }
    }
    for (const number of this.#loadedAnyway) decoys.delete(number);
    return { loaded, decoys };
  }

  #add(witness: Witness): number {
    const number = this.#numbers.pop() ?? 0;
    this.#witnesses.set(number, witness);
    return number;
  }

  #image(leaf: Leaf, applies: boolean): Claim {
    const [width, height] = [this.#draw.int(8, 300), this.#draw.int(8, 300)];
    const number = this.#add({ kind: 'image', width, height });
    const declaration = `content:url(${this.#urlOf(number)})`;
    const claim = { number, applies, declaration, pseudo: '::before' };
    return drawClaim(leaf, this.#scene, this.#draw, claim);
  }

  /** A claim with a font family of two files: one for the text of the leaf, and one for other characters. */
  #font(leaf: Leaf, applies: boolean): Claim {
    const draw = this.#draw;
    const character = this.#texts.get(leaf)?.charCodeAt(0) ?? 0;
    const family = this.#scene.tree.nextName();
    const face = (covers: boolean): number => {
      const number = this.#add({ kind: 'font', width: draw.int(40, 700), character });
      const range = unicodeRange(character, covers, draw);
      this.#css += `@font-face{font-family:${family};src:url(${this.#urlOf(number)});unicode-range:${range}}`;
      return number;
    };
    const isFirst = draw.flip();
    const [one, other] = [face(isFirst), face(!isFirst)];
    // For any text, WebKit loads the last file of a used family.
    if (applies) this.#loadedAnyway.push(other);
    const number = isFirst ? one : other;
    const claim = { number, applies, declaration: `font-family:${family},serif`, pseudo: '' };
    return drawClaim(leaf, this.#scene, draw, claim);
  }

  #body(): string {
    let html = '';
    let [group, middle]: [Leaf['group'] | undefined, Leaf['middle'] | undefined] = [
      undefined,
      undefined,
    ];
    for (const leaf of this.#scene.tree.leaves) {
      const isNewGroup = leaf.group !== group;
      if (middle && leaf.middle !== middle) html += END_OF_DIV;
      if (group && isNewGroup) html += END_OF_DIV;
      if (isNewGroup) html += startOfDiv(leaf.group);
      if (leaf.middle !== middle) html += startOfDiv(leaf.middle);
      html += `${startOfDiv(leaf)}${this.#texts.get(leaf) ?? ''}${END_OF_DIV}`;
      ({ group, middle } = leaf);
    }
    return html;
  }
}

function startOfDiv({ classes }: Leaf['group']): string {
  return `&lt;div class=&quot;${classes[0]} ${classes[1]}&quot;&gt;`;
}

/**
 * A value of `unicode-range` (CSS Fonts 4, 4.5). No range includes the blank, because a browser can load a font with
 * the blank for any text.
 */
function unicodeRange(character: number, covers: boolean, draw: Draw): string {
  const hex = (code: number) => code.toString(16);
  const far = `U+${hex(0x400 + draw.int(0, 99))}-${hex(0x500 + draw.int(0, 99))}`;
  const near = covers
    ? draw.pick([
        `U+${hex(character)}`,
        `U+${hex(character >> 4)}?`,
        `u+${hex(character - draw.int(0, 30))}-${hex(character + draw.int(0, 30))}`,
        `U+00${hex(character).toUpperCase()}`,
      ])
    : draw.pick([
        `U+${hex(character + 1)}-${hex(character + draw.int(2, 99))}`,
        `U+21-${hex(character - 1)}`,
        `U+${hex((character >> 4) ^ 1)}?`,
        far,
      ]);
  return draw.pick([near, `${near},${far}`, `${far},${near}`]);
}
