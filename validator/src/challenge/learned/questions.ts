import type { Draw } from '../cascade/draw.ts';

/**
 * The kinds of questions. Each text starts with the letter of its kind (browser/page/sources/answers.ts parses it). No
 * question contains `~`, which separates questions.
 *
 * These kinds were chosen by measurements (docs/guide/block-reasons/answers_rare.md). Formats of `Intl` are not used:
 * Chromium, Firefox and Node.js gave the same answer to 40 of 40 questions. Error texts are not used: Node.js gave the
 * same answer as Chromium to 33 of 40 questions. Scripts that need their own font are not used, because loading it
 * keeps the page busy for 30 ms and more.
 */
export const KINDS = {
  /** How an engine serialises declarations that it has parsed: numbers, colours, `calc()`, shorthands. */
  declarations: (draw: Draw) => {
    const declarations = [
      ...draw.shuffle(WRITTEN_APART).slice(0, 2),
      ...draw.shuffle(DECLARATIONS).slice(0, 3),
    ];
    return `c${fillPattern(declarations.join(';'), draw)}`;
  },
  /** Where an engine breaks a text into lines. */
  breaks: (draw: Draw) => `b${draw.pick(BREAK_RULES)}|${letters(draw, BREAKING, 26)}`,
  /** The width of a text in a system font. */
  width: (draw: Draw) => {
    const css = fillPattern(`${draw.pick(FONTS)};${draw.pick(SHAPES)}`, draw);
    return `w${css}|${letters(draw, SHAPED_LETTERS, 14)}`;
  },
  /** The properties of interfaces and their order. */
  properties: (draw: Draw) => `p${draw.shuffle(INTERFACES).slice(0, 3).join()}`,
  /** The widths of the cells of a table: CSS 2.1, 17.5.2.2 leaves them to the engine. */
  table: (draw: Draw) => `t${draw.int(200, 900)}00|${rows(draw)}`,
} as const satisfies Record<string, (draw: Draw) => string>;
export type Kind = keyof typeof KINDS;

/** `@w` is replaced by a word, `@d` by a decimal number, `@n` by a whole number. */
function fillPattern(pattern: string, draw: Draw): string {
  return pattern
    .replace(/@w/g, () => word(draw))
    .replace(/@d/g, () => `${draw.int(0, 99)}.${draw.int(1, 9_999)}`)
    .replace(/@n/g, () => String(draw.int(1, 360)));
}

function word(draw: Draw): string {
  return Array.from({ length: 5 }, () => String.fromCharCode(draw.int(97, 122))).join('');
}

/** Short runs of letters, each from a random list, until there are `count` letters. */
function letters(draw: Draw, lists: readonly [string, ...string[]], count: number): string {
  let text = '';
  while (text.length < count) {
    const list = draw.pick(lists);
    for (let run = draw.int(1, 4); run > 0; run--)
      text += list.charAt(draw.int(0, list.length - 1));
  }
  return text;
}

/** Three rows of three columns. Some cells span two columns, and some widths contradict each other. */
function rows(draw: Draw): string {
  const row = () => {
    const cells: string[] = [];
    for (let free = 3; free > 0;) {
      const span = draw.int(1, Math.min(free, 2));
      free -= span;
      const css = draw.pick([
        '',
        '',
        `width:${draw.int(5, 70)}%`,
        `width:${draw.int(20, 500)}00px`,
      ]);
      const parts = Array.from({ length: draw.int(1, 2) }, () => `${draw.int(20, 300)}00`);
      cells.push([span, css, ...parts].join(' '));
    }
    return cells.join();
  };
  return Array.from({ length: 3 }, row).join(';');
}

/** Chromium, Firefox and WebKit serialise these declarations in different ways. */
const WRITTEN_APART: readonly string[] = [
  'animation:@ds ease-in @w @nms 2 reverse',
  'line-height:1@n000.@n',
  'transform-origin:right @dpx',
  'letter-spacing:.0000@npx',
  'opacity:@n00000000',
  'flex-grow:@ne20',
  'width:@n0000000.@npx',
  'border-image:linear-gradient(red,rgb(@n 1 2)) 1@d% fill/@npx',
  'content:counters(@w,"@w") attr(@w)',
  'transform:rotate(.@nturn) matrix(@n,0,.@n,1e4@n,0,0)',
  'color:hwb(@d 1@d% 2@d%)',
  'color:hsl(@d 3@d% 1@d%/.@n)',
  'width:calc(@dpx*1e9)',
  'perspective:@n00000.@npx',
];

const DECLARATIONS: readonly string[] = [
  'rotate:@n @n 0 .@nturn',
  'translate:@dpx 0 0',
  '-webkit-text-stroke:@dpx red',
  'text-emphasis:"@w" rgb(@n,1,2)',
  'outline:@dpx dashed rgba(@n,@n,@n,.@n)',
  'grid:auto-flow @dpx/@dfr @n%',
  'mask:linear-gradient(red,rgb(@n 1 2)) @npx 2%',
  'background:linear-gradient(red @n%,#123) @npx bottom/@dem repeat-x,rgb(@n 2 3)',
  'height:calc(sin(@ddeg)*@npx)',
  'margin-left:calc(@dpx*sqrt(@n))',
  'margin-top:calc(@npx + (@dem*3 - @n%)/7)',
  'padding-left:min(@npx,@d%,3em - 1px)',
  'background-color:color(display-p3 @n .@n 0/@n%)',
  'background-color:color-mix(in oklab,rgb(@n 20 @d) 25%,hsl(@n 50% 50%))',
  'border-color:lch(@d @d @d) oklch(.@n .1 @ddeg/@n%)',
  'gap:calc(@d% + 1px) @npx',
  'offset:path("M @n @d L 3 @d z") @npx auto',
  'clip-path:path("m@n,@d h@n V-@d z")',
  'clip-path:circle(@d% at right @npx top)',
  'object-position:@npx bottom',
  'transition:@w @ds cubic-bezier(.@n,@d,.5,1) @nms,color 0s',
  'transition:all @ds steps(@n,jump-start)',
  'text-decoration:underline dotted @dpx rgb(@n,1,2)',
  'font:italic 1@n @dpx/@d @w,serif',
  'filter:hue-rotate(@dgrad) opacity(@n%) drop-shadow(0 0 @npx red)',
  'box-shadow:inset 0 @dpx hsl(@n,10%,50%),red @npx 1px',
  'inset:auto @dpx @n%',
  'shape-outside:inset(@npx round @d%) margin-box',
  'font-feature-settings:"kern" @n,"liga" on',
  'grid-area:@w/span @n/@n',
];

const BREAK_RULES = [
  'word-break:normal',
  'line-break:strict',
  'line-break:loose',
  'line-break:normal',
  'word-break:keep-all',
  'word-break:break-all',
  'hyphens:none',
] as const;

/** Engines differ in whether they break a line between these characters. The fonts of all systems have them. */
const BREAKING = [
  'abkz',
  'AOQ\u00e9',
  '0123',
  '.,;:!?',
  '()[]{}',
  '-/\\\u2010\u2013\u2014\u2026',
  '%$\u20ac\u00b0\u00a3+=#@*_',
  '\u00ab\u00bb\u2018\u2019\u201c\u201d\u00a1\u00bf',
  '\u00ad\u200b\u00a0\u00b4\u00b7',
] as const;

/** The page has already loaded these fonts, because its own text uses them. */
const FONTS = ['font:40px system-ui', 'font:700 40px system-ui'] as const;

const SHAPES = [
  'letter-spacing:@npx',
  'word-spacing:@npx',
  'font-kerning:none',
  'font-variant:small-caps',
  'font-feature-settings:"liga" 0,"kern" 0',
  'text-transform:uppercase',
] as const;

const SHAPED_LETTERS = [
  'fiflAVTo',
  'WMmil',
  'abgjqy',
  '0189',
  '\u00df\u00c5\u00f8',
  '\u00e9\u00fc ',
] as const;

/** Old interfaces. Browsers rarely add a property to them for only a part of their users. */
const INTERFACES: readonly string[] = [
  'Node',
  'Range',
  'Selection',
  'DOMTokenList',
  'NodeIterator',
  'TreeWalker',
  'CharacterData',
  'DOMRect',
  'Event',
  'UIEvent',
  'MouseEvent',
  'WheelEvent',
  'KeyboardEvent',
  'HTMLTableElement',
  'HTMLSelectElement',
  'HTMLFormElement',
  'HTMLAnchorElement',
  'HTMLTextAreaElement',
  'Storage',
  'History',
  'FileReader',
  'XMLHttpRequest',
  'FormData',
  'URL',
  'CSSStyleSheet',
  'CSSRule',
  'MutationObserver',
  'DOMParser',
  'TextMetrics',
];
