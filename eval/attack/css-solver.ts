/**
 * Computes the CSS of the challenge's style sheets without a browser and without the secret. It was written with the
 * knowledge of validator/src/challenge/cascade/.
 */

export interface Box {
  readonly classes: readonly string[];
  readonly parent: Box | undefined;
  readonly children: Box[];
  /** The text in the box. Absent when the box has no text. */
  text?: string;
}

interface Declared {
  readonly property: string;
  readonly value: string;
  readonly important: boolean;
  readonly specificity: number;
}

/** A compound selector and the combinator before it. */
export interface Step {
  readonly tests: readonly ((box: Box) => boolean)[];
  readonly weight: number;
  readonly combinator: string;
}

/** The width of the outermost block, in CSS pixels. */
const SIDE = 1000;

/** The widths of the leaves of a sheet, in CSS pixels. */
export function solveSheet(sheet: string): number[] {
  const [tree = '', css = ''] = sheet.split('|');
  const boxes = parseTree(tree);
  const rules = [...rulesOf(css.replace(/\/\*.*?\*\//g, ''))];
  return boxes.filter(({ children }) => children.length === 0).map((leaf) => widthOf(leaf, rules));
}

function parseTree(tree: string): Box[] {
  const boxes: Box[] = [{ classes: [], parent: undefined, children: [] }];
  for (const line of tree.split(';')) {
    const [at = '', ...classes] = line.split('.');
    const parent = boxes[Number(at)];
    const box: Box = { classes, parent, children: [] };
    parent?.children.push(box);
    boxes.push(box);
  }
  return boxes;
}

interface Rule {
  readonly selector: readonly Step[];
  readonly body: string;
}

function* rulesOf(css: string): Generator<Rule> {
  for (const [, condition, inner, selector, body] of css.matchAll(
    /@([^{]+)\{((?:[^{}]*\{[^{}]*\})*)\}|([^{}@]+)\{([^{}]*)\}/g,
  )) {
    const found =
      condition === undefined
        ? [[selector, body] as const]
        : holds(condition)
          ? [...(inner ?? '').matchAll(/([^{}]+)\{([^{}]*)\}/g)].map(([, s, b]) => [s, b] as const)
          : [];
    for (const [text = '', declarations = ''] of found) {
      const steps = stepsOf(text);
      if (steps) yield { selector: steps, body: declarations };
    }
  }
}

const holds = (condition: string): boolean =>
  !/min-width|^media print|\(display:k\)|not \(display:block/.test(condition) ||
  condition.includes('not (display:k)');

/** Returns undefined for an invalid selector. Then the rule is ignored. */
export function stepsOf(selector: string): Step[] | undefined {
  const steps: Step[] = [];
  const parts = selector.trim().split(/(\s*(?:[>+]|~(?!=))\s*|\s+)(?![^(]*\))/);
  for (let at = 0; at < parts.length; at += 2) {
    const compound = compoundOf(parts[at] ?? '');
    if (!compound) return undefined;
    steps.push({ ...compound, combinator: (parts[at - 1] ?? '').trim() || ' ' });
  }
  return steps;
}

const SIMPLE =
  /(\*)|(div)|\.([a-z]\w*)|\[class(~?)=(\w+)\]|:nth-child\((\w+)\)|:nth-last-child\((\d)\)|:not\(\.(\w+)\)|(:empty)|:has\((>?)([^()]*(?:\([^()]*\))?)\)/y;

function compoundOf(text: string): Pick<Step, 'tests' | 'weight'> | undefined {
  const tests: ((box: Box) => boolean)[] = [];
  let weight = 0;
  SIMPLE.lastIndex = 0;
  while (SIMPLE.lastIndex < text.length) {
    const [, any, div, name, word, attribute, nth, last, not, empty, isChild, inner] =
      SIMPLE.exec(text) ?? [];
    const indexInParent = ({ parent }: Box, box: Box) => (parent?.children.indexOf(box) ?? 0) + 1;
    if (SIMPLE.lastIndex === 0) return undefined;
    weight += weightOf(any, div);
    if (name) tests.push(({ classes }) => classes.includes(name));
    if (attribute)
      tests.push(({ classes }) =>
        word ? classes.includes(attribute) : classes.join(' ') === attribute,
      );
    if (nth === 'odd' || nth === 'even')
      tests.push((box) => indexInParent(box, box) % 2 === (nth === 'odd' ? 1 : 0));
    else if (nth) tests.push((box) => indexInParent(box, box) === Number(nth));
    if (last)
      tests.push(
        (box) => (box.parent?.children.length ?? 0) + 1 - indexInParent(box, box) === Number(last),
      );
    if (empty) tests.push((box) => box.children.length === 0 && !box.text);
    if (inner !== undefined) {
      const hasMatch = matchDescendant(inner, isChild === '>');
      if (!hasMatch) return undefined;
      weight += hasMatch.weight - 10;
      tests.push(hasMatch.test);
    }
    if (not) tests.push(({ classes }) => !classes.includes(not));
  }
  return { tests, weight };
}

const weightOf = (any?: string, div?: string) => (any ? 0 : div ? 1 : 10);

/**
 * Parses the inside of `:has()`. Restores the position of the shared regular expression, so that the caller can
 * continue.
 */
function matchDescendant(inner: string, isChild: boolean) {
  const position = SIMPLE.lastIndex;
  const steps = stepsOf(inner);
  SIMPLE.lastIndex = position;
  if (!steps) return undefined;
  return {
    weight: steps.reduce((sum, step) => sum + step.weight, 0),
    test: (box: Box) =>
      (isChild ? box.children : descendantsOf(box)).some((one) => matches(one, steps)),
  };
}

function descendantsOf(box: Box): Box[] {
  return box.children.flatMap((child) => [child, ...descendantsOf(child)]);
}

export function matches(
  box: Box | undefined,
  steps: readonly Step[],
  stepIndex = steps.length - 1,
): boolean {
  const step = steps[stepIndex];
  if (!box || !step) return false;
  if (!step.tests.every((test) => test(box))) return false;
  if (stepIndex === 0) return true;
  const siblings = box.parent?.children ?? [];
  const before = siblings.slice(0, siblings.indexOf(box));
  switch (step.combinator) {
    case '>':
      return matches(box.parent, steps, stepIndex - 1);
    case '+':
      return matches(before.at(-1), steps, stepIndex - 1);
    case '~':
      return before.some((one) => matches(one, steps, stepIndex - 1));
    default: {
      for (let above = box.parent; above; above = above.parent)
        if (matches(above, steps, stepIndex - 1)) return true;
      return false;
    }
  }
}

function declaredFor(box: Box, rules: readonly Rule[]): Map<string, string> {
  const winners = new Map<string, Declared>();
  for (const { selector, body } of rules) {
    if (!matches(box, selector)) continue;
    const specificity = selector.reduce((sum, { weight }) => sum + weight, 0);
    for (const line of body.split(';')) {
      const [, name = '', text = ''] = /^\s*([\w\\-]+)\s*:(.*)$/.exec(line) ?? [];
      const property = name.replace('\\77', 'w').toLowerCase();
      const important = /!\s*important\s*$/i.test(text);
      const value = text.replace(/!\s*important\s*$/i, '').trim();
      if (!property.startsWith('--') && !isValid(value)) continue;
      const declared = { property, value, important, specificity };
      const winner = winners.get(property);
      if (!winner || isOver(declared, winner)) winners.set(property, declared);
    }
  }
  return new Map([...winners].map(([property, { value }]) => [property, value]));
}

function isOver(candidate: Declared, winner: Declared): boolean {
  if (candidate.important !== winner.important) return candidate.important;
  return candidate.specificity >= winner.specificity;
}

const LENGTH = String.raw`\+?\d+(?:\.\d+)?(?:px|in|%)`;
const VALUE = new RegExp(
  String.raw`^(?:${LENGTH}|calc\((?:${LENGTH}|var\(--\w+\)) [+-] ${LENGTH}\)|var\(--\w+,${LENGTH}\)|auto|inherit|initial)$`,
  'i',
);
const isValid = (value: string): boolean => VALUE.test(value.replace(/\s+/g, ' '));

function widthOf(leaf: Box, rules: readonly Rule[]): number {
  const declared = declaredFor(leaf, rules);
  const lookUp = (name: string): string | undefined => {
    for (let box: Box | undefined = leaf; box; box = box.parent) {
      const value = declaredFor(box, rules).get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const pixels = (value: string | undefined): number | undefined => {
    if (value === undefined || /^(?:auto|inherit|initial)$/i.test(value)) return undefined;
    const text = value.replace(
      /var\((--\w+)(?:,([^)]+))?\)/g,
      (_, name: string, other?: string) => lookUp(name) ?? other ?? '',
    );
    let total = 0;
    for (const [, sign, number, unit = ''] of text.matchAll(
      /(?:(-)\s)?\+?(\d+(?:\.\d+)?)(px|in|%)/gi,
    )) {
      const scale = { px: 1, in: 96, '%': SIDE / 100 }[unit.toLowerCase()] ?? 1;
      total += (sign ? -1 : 1) * Number(number) * scale;
    }
    return total;
  };
  const width = pixels(declared.get('width')) ?? SIDE;
  const maxWidth = pixels(declared.get('max-width')) ?? Number.POSITIVE_INFINITY;
  return Math.max(Math.min(width, maxWidth), pixels(declared.get('min-width')) ?? 0);
}
