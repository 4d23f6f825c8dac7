/**
 * Finds the line with a wrong indentation or a missing colon, in a text that YAML could not read. The parser reports
 * the position at which it cannot continue, and this is often after the faulty line.
 */

export type MisplacedLine =
  | { readonly kind: 'tab' | 'no_colon'; readonly offset: number }
  | {
      readonly kind: 'spaces';
      readonly offset: number;
      readonly spaces: number;
      readonly fitting: readonly number[];
    };

/** An open indentation level, for the names of a mapping or the dashes of a list. */
interface Level {
  readonly spaces: number;
  readonly kind: 'names' | 'dashes';
}

const DASH = /^-(?:\s+|$)/;
/** A plain or quoted name with its colon. */
const NAME = /^(?:"[^"]*"|'[^']*'|[^\s"'[\]{},#&*|>][^#]*?):(?:\s|$)/;
/** After a line with such an end, a deeper line may follow. */
const OPEN_END = /(?:^|\s)-$|:$|:\s+[&!]\S+$/;
/** A line with a collection in brackets or braces, a document marker, or a directive. */
const OTHER_LINE = /^(?:[[{]|---|\.\.\.|%)/;
const MULTILINE_TEXT = /(?:^|\s)[|>][+-]?\d?[+-]?$/;

/**
 * Finds the first line with such a mistake that begins at or before `end`, or undefined. Takes time linear in the text.
 */
export function findMisplacedLine(text: string, end: number): MisplacedLine | undefined {
  let levels: readonly Level[] = [];
  let isOpen = true;
  for (const { offset, spaces, code, hasTab, isWhole } of codeLines(text, end)) {
    if (hasTab) return { kind: 'tab', offset };
    const isDash = DASH.test(code);
    const isValue = !isDash && !NAME.test(code);
    // This is a further line of a text without quotes.
    if (isValue && !isOpen && spaces > deepest(levels)) continue;
    const kind = isDash ? 'dashes' : 'names';
    const fittingLevels = levelAt(levels, spaces, kind, isOpen);
    if (fittingLevels === undefined) {
      return { kind: 'spaces', offset, spaces, fitting: fittingFor(levels, kind, isOpen) };
    }
    if (isValue && isWhole && !OTHER_LINE.test(code)) return { kind: 'no_colon', offset };
    levels = [...fittingLevels, ...levelsAfterDashes(code, spaces)];
    isOpen = OPEN_END.test(code);
  }
  return undefined;
}

interface Line {
  readonly offset: number;
  readonly spaces: number;
  /** The line without its indentation and comment. */
  readonly code: string;
  readonly hasTab: boolean;
  /** True when no bracket or quote is open at the end of the line. */
  readonly isWhole: boolean;
}

/** Yields the lines up to `end` that start outside of brackets, quotes and multi-line texts. */
function* codeLines(text: string, end: number): Generator<Line> {
  let pending: Pending = NOTHING_PENDING;
  /** Lines with more spaces than this are part of a multi-line text. */
  let textSpaces = Infinity;
  for (let start = 0, next: number; start <= end && start < text.length; start = next) {
    next = text.indexOf('\n', start) + 1 || text.length;
    const line = text.slice(start, next).trimEnd();
    const spaces = /^ */.exec(line)?.[0].length ?? 0;
    const trimmedLine = line.slice(spaces);
    const isInside = isPending(pending);
    if (/^(?:#|$)/.test(trimmedLine) || (!isInside && spaces > textSpaces)) continue;
    const { code, pending: pendingAfter } = scan(trimmedLine, pending);
    pending = pendingAfter;
    if (isInside) continue;
    textSpaces = MULTILINE_TEXT.test(code) ? spaces : Infinity;
    const hasTab = trimmedLine.startsWith('\t');
    yield { offset: start + spaces, spaces, code, hasTab, isWhole: !isPending(pendingAfter) };
  }
}

function fittingFor(
  levels: readonly Level[],
  kind: Level['kind'],
  isOpen: boolean,
): readonly number[] {
  const spaceCounts = levels.filter((level) => level.kind === kind).map(({ spaces }) => spaces);
  return [...new Set(isOpen ? [...spaceCounts, deepest(levels) + 2] : spaceCounts)];
}

function deepest(levels: readonly Level[]): number {
  return levels.at(-1)?.spaces ?? 0;
}

/**
 * The levels from the outermost level to the level of the line. Undefined when the line's indentation fits no level.
 */
function levelAt(
  levels: readonly Level[],
  spaces: number,
  kind: Level['kind'],
  isOpen: boolean,
): readonly Level[] | undefined {
  const outerLevels = levels.filter((level) => level.spaces <= spaces);
  const isNew = outerLevels.length === levels.length && isOpen;
  const sameIndex = outerLevels.findIndex(
    (level) => level.spaces === spaces && level.kind === kind,
  );
  if (sameIndex !== -1) return outerLevels.slice(0, sameIndex + 1);
  // The dashes of a list may have the indentation of its name.
  const mayBegin = deepest(outerLevels) < spaces || levels.length === 0 || kind === 'dashes';
  return isNew && mayBegin ? [...outerLevels, { spaces, kind }] : undefined;
}

/** `- name: a` opens one level after the dash, and `- - a` opens two levels. */
function levelsAfterDashes(code: string, spaces: number): readonly Level[] {
  const levels: Level[] = [];
  let deeper = spaces;
  let rest = code;
  for (let dash = DASH.exec(rest); dash !== null; dash = DASH.exec(rest)) {
    rest = rest.slice(dash[0].length);
    deeper += dash[0].length;
    const kind = DASH.test(rest) ? 'dashes' : NAME.test(rest) ? 'names' : undefined;
    if (kind !== undefined) levels.push({ spaces: deeper, kind });
  }
  return levels;
}

interface Pending {
  /** The closing quote that is expected. Empty when no quote is open. */
  readonly quote: string;
  readonly depth: number;
}

const NOTHING_PENDING: Pending = { quote: '', depth: 0 };

function isPending({ quote, depth }: Pending): boolean {
  return quote !== '' || depth > 0;
}

/** Removes the comment of a line, and finds the quotes and brackets that are open after it. */
function scan(
  line: string,
  pendingBefore: Pending,
): { readonly code: string; readonly pending: Pending } {
  let { quote, depth } = pendingBefore;
  for (let at = 0; at < line.length; at++) {
    if (quote !== '') {
      at = endOfQuote(line, at, quote);
      if (at < line.length) quote = '';
      continue;
    }
    const character = line.charAt(at);
    const isFirst = at === 0 || /[\s[{,]/.test(line.charAt(at - 1));
    if (isFirst && character === '#') {
      return { code: line.slice(0, at).trimEnd(), pending: { quote, depth } };
    }
    if (isFirst && /["']/.test(character)) quote = character;
    else if (/[[{]/.test(character)) depth += isFirst || depth > 0 ? 1 : 0;
    else if (/[\]}]/.test(character)) depth = Math.max(0, depth - 1);
  }
  return { code: line, pending: { quote, depth } };
}

/** The index of the closing quote. If the line does not close the quote, it is the length of the line. */
function endOfQuote(line: string, from: number, quote: string): number {
  for (let at = from; at < line.length; at++) {
    if (quote === '"' && line.charAt(at) === '\\') at++;
    else if (line.charAt(at) === quote) return at;
  }
  return line.length;
}
