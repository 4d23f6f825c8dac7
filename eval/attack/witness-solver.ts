import { type Box, matches, type Step, stepsOf } from './css-solver.ts';

/**
 * Computes which file a browser loads for which box of the witness document, without a browser and without the secret.
 * It was written with the knowledge of validator/src/challenge/witnesses/.
 */

/** The file that a browser loads for one leaf. Undefined when the browser loads no file. */
interface Loaded {
  readonly kind: 'image' | 'font';
  readonly url: string;
}

type Sizes = Readonly<Record<'width' | 'height', number>>;

interface Rule {
  readonly selector: readonly Step[];
  readonly isBefore: boolean;
  readonly containers: readonly string[];
  readonly property: string;
  readonly value: string;
  readonly important: boolean;
}

interface Face {
  readonly url: string;
  readonly range: string;
}

/** The width and height of the first line and of each leaf, equal to a browser's measurements. */
export async function solveWitnesses(
  sheetText: string,
  load: (url: string, kind: Loaded['kind']) => Promise<Buffer>,
): Promise<number[]> {
  const sizes = [1000, 1];
  for (const loaded of planOf(sheetText)) {
    if (loaded === undefined) {
      sizes.push(0, 0);
      continue;
    }
    const file = await load(loaded.url, loaded.kind);
    if (loaded.kind === 'image') sizes.push(file.readUInt16LE(6), file.readUInt16LE(8));
    else sizes.push(advanceWidthOf(file), 0);
  }
  return sizes;
}

/** Returns the advance width of the only glyph of a font, at 200 pixels. */
function advanceWidthOf(font: Buffer): number {
  let entry = 12;
  while (font.toString('latin1', entry, entry + 4) !== 'hmtx') entry += 16;
  return font.readUInt16BE(font.readUInt32BE(entry + 8)) / 5;
}

function planOf(sheetText: string): readonly (Loaded | undefined)[] {
  const [, width = '', height = '', html = ''] = /^([\d]+)\.([\d]+)\|([^]*)$/.exec(sheetText) ?? [];
  const [, css = ''] = /<style[^>]*>([^]*?)<\/style>/.exec(html) ?? [];
  const groups = parseTree(html.slice(html.indexOf('</style>')));
  const faces = new Map<string, Face[]>();
  const rules: Rule[] = [];
  readVisit(css, { width: Number(width), height: Number(height) }, [], rules, faces);
  const widths = new Map<Box | undefined, number>();
  const valueOf = (box: Box, property: string, isBefore = false) =>
    winning(box, property, isBefore, rules, widths.get(box.parent) ?? 0);
  for (const group of groups) {
    const shares = group.children.map((middle) => Number.parseFloat(valueOf(middle, 'flex') ?? ''));
    const groupWidth = Number.parseFloat(valueOf(group, 'width') ?? '');
    const shareSum = shares.reduce((sum, share) => sum + share, 0);
    group.children.forEach((middle, index) =>
      widths.set(middle, (groupWidth * (shares[index] ?? 0)) / shareSum),
    );
  }
  const leaves = groups.flatMap((group) => group.children).flatMap((middle) => middle.children);
  return leaves.map((leaf): Loaded | undefined => {
    if (valueOf(leaf, 'display') === 'none') return undefined;
    const [, image] = /url\(([^)]+)\)/.exec(valueOf(leaf, 'content', true) ?? '') ?? [];
    if (image !== undefined) return { kind: 'image', url: image };
    const [family = ''] = valueOf(leaf, 'font-family')?.split(',') ?? [];
    const code = leaf.text?.codePointAt(0) ?? 0;
    const face = faces.get(family)?.find(({ range }) => isInRange(code, range));
    return face && { kind: 'font', url: face.url };
  });
}

/** The blocks below the body. */
function parseTree(html: string): readonly Box[] {
  const body: Box = { classes: [], parent: undefined, children: [] };
  let box = body;
  for (const [, classes, end, text] of html.matchAll(/<div class="([^"]*)">|(<\/div>)|([^<>]+)/g)) {
    if (classes !== undefined) {
      const made: Box = { classes: classes.split(' '), parent: box, children: [] };
      box.children.push(made);
      box = made;
    } else if (end !== undefined) {
      box = box.parent ?? body;
    } else if (box !== body) {
      box.text = text ?? '';
    }
  }
  return body.children;
}

/** Collects the rules with true conditions, in order, and the font faces. */
function readVisit(
  css: string,
  frame: Sizes,
  containers: readonly string[],
  rules: Rule[],
  faces: Map<string, Face[]>,
): void {
  for (const [head, inner] of blocksOf(css)) {
    const condition = head.slice(head.indexOf(' ') + 1);
    if (head.startsWith('@media')) {
      if (mediaHolds(condition, frame)) readVisit(inner, frame, containers, rules, faces);
    } else if (head.startsWith('@supports')) {
      const isKnown = !condition.includes('(display:k)');
      if (isKnown !== condition.startsWith('not'))
        readVisit(inner, frame, containers, rules, faces);
    } else if (head.startsWith('@container')) {
      readVisit(inner, frame, [...containers, condition], rules, faces);
    } else if (head === '@font-face') {
      const attributeOf = (name: string) => new RegExp(`${name}:([^;]+)`).exec(inner)?.[1] ?? '';
      const family = attributeOf('font-family');
      const [, url = ''] = /url\(([^)]+)\)/.exec(inner) ?? [];
      faces.set(family, [
        ...(faces.get(family) ?? []),
        { url, range: attributeOf('unicode-range') },
      ]);
    } else {
      rules.push(...rulesOf(head, inner, containers));
    }
  }
}

function rulesOf(head: string, inner: string, containers: readonly string[]): Rule[] {
  const isBefore = head.endsWith('::before');
  const list = head.replace(/::before$/, '').split(/,(?![^(]*\))/);
  const selectors = list.map(stepsOf);
  if (selectors.includes(undefined)) return [];
  return inner.split(';').flatMap((line) => {
    const [, property = '', text = ''] = /^\s*([\w-]+)\s*:(.*)$/.exec(line) ?? [];
    const value = text.replace('!important', '').trim();
    const important = text.includes('!important');
    return selectors.flatMap((selector) =>
      selector ? [{ selector, isBefore, containers, property, value, important }] : [],
    );
  });
}

function* blocksOf(css: string): Generator<readonly [head: string, inner: string]> {
  for (let at = 0, open = css.indexOf('{'); open >= 0; open = css.indexOf('{', at)) {
    let [depth, end] = [1, open + 1];
    for (; depth > 0 && end < css.length; end++) {
      if (css[end] === '{') depth += 1;
      if (css[end] === '}') depth -= 1;
    }
    yield [css.slice(at, open).trim(), css.slice(open + 1, end - 1)];
    at = end;
  }
}

function winning(
  box: Box,
  property: string,
  isBefore: boolean,
  rules: readonly Rule[],
  width: number,
): string | undefined {
  let winner: (Rule & { readonly weight: number }) | undefined;
  for (const rule of rules) {
    if (rule.property !== property || rule.isBefore !== isBefore) continue;
    if (!matches(box, rule.selector)) continue;
    if (!rule.containers.every((query) => isBound(query, { width, height: 0 }))) continue;
    const weight = rule.selector.reduce((sum, step) => sum + step.weight, 0);
    const isOver =
      !winner || (rule.important === winner.important ? weight >= winner.weight : rule.important);
    if (isOver) winner = { ...rule, weight };
  }
  return winner?.value;
}

function mediaHolds(text: string, frame: Sizes): boolean {
  return text.split(',').some((query) => {
    const isNegated = query.startsWith('not ');
    const holds = query
      .replace(/^not /, '')
      .split(' and ')
      .every((part) => {
        if (/^(?:all|print|screen)$/.test(part)) return part !== 'print';
        const [, lies] = /^\(orientation:(\w+)\)$/.exec(part) ?? [];
        return lies === undefined
          ? isBound(part, frame)
          : (lies === 'landscape') === frame.width > frame.height;
      });
    return holds !== isNegated;
  });
}

function isBound(text: string, sizes: Sizes): boolean {
  const [, kind, name, px = ''] = /^\((min|max)-(width|height):([\d.]+)px\)$/.exec(text) ?? [];
  const size = sizes[name === 'height' ? 'height' : 'width'];
  return kind === 'min' ? size >= Number(px) : size <= Number(px);
}

function isInRange(code: number, range: string): boolean {
  return range.split(',').some((part) => {
    const text = part.trim().slice(2);
    const [from = '', to = from] = text.split('-');
    const firstCode = Number.parseInt(from.replaceAll('?', '0'), 16);
    return code >= firstCode && code <= Number.parseInt(to.replaceAll('?', 'f'), 16);
  });
}
