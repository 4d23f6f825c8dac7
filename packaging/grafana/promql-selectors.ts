/** What a PromQL expression reads, and how. */
export interface Selector {
  readonly metric: string;
  /** Labels it matches on, with the operator and the value. */
  readonly matchers: readonly {
    readonly label: string;
    readonly operator: string;
    readonly value: string;
  }[];
  /** It reads a range of time and not the last value. */
  readonly ranged: boolean;
  /** The function that it is the argument of, or '' where there is none. */
  readonly within: string;
}

export interface Expression {
  readonly selectors: readonly Selector[];
  /** Labels of all `by (…)`. */
  readonly grouped: readonly string[];
}

interface Token {
  readonly kind: 'space' | 'number' | 'string' | 'word' | 'range' | 'sign';
  readonly text: string;
}

const TOKENS: readonly (readonly [Token['kind'], RegExp])[] = [
  ['space', /\s+/y],
  ['number', /\d+(?:\.\d+)?/y],
  ['string', /"(?:[^"\\]|\\.)*"/y],
  ['word', /[a-zA-Z_:][\w:]*/y],
  ['range', /\[(?:\$__rate_interval|\d+[smhd])\]/y],
  ['sign', /=~|!~|!=|[=(){},+\-*/]/y],
];

const FUNCTIONS: ReadonlySet<string> = new Set(['rate', 'increase', 'histogram_quantile']);
const AGGREGATIONS: ReadonlySet<string> = new Set(['sum', 'max', 'topk']);

/** Splits an expression; throws at what it does not know, so that nothing is passed over. */
function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < expression.length) {
    const token = nextToken(expression, at);
    if (token === undefined) throw new Error(`cannot read ${expression.slice(at)}`);
    if (token.kind !== 'space') tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function nextToken(expression: string, at: number): Token | undefined {
  for (const [kind, form] of TOKENS) {
    form.lastIndex = at;
    const text = form.exec(expression)?.[0];
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}

/**
 * The selectors and groupings of one PromQL expression, of the part of the language that the dashboard
 * uses. Throws at anything else: an expression that is not understood is not checked either.
 */
export function readPromql(expression: string): Expression {
  const tokens = tokensOf(expression);
  const selectors: Selector[] = [];
  const grouped: string[] = [];
  const open: string[] = [];
  let at = 0;

  const peek = (): string => tokens[at]?.text ?? '';
  const take = (): Token => {
    const token = tokens[at++];
    if (token === undefined) throw new Error(`${expression} ends too early`);
    return token;
  };
  const expect = (text: string): void => {
    const taken = take().text;
    if (taken !== text) throw new Error(`expected ${text} and not ${taken} in ${expression}`);
  };

  function takeLabels(): void {
    expect('(');
    grouped.push(take().text);
    while (peek() === ',') {
      take();
      grouped.push(take().text);
    }
    expect(')');
  }

  function takeMatchers(): Selector['matchers'] {
    if (peek() !== '{') return [];
    const matchers: Selector['matchers'][number][] = [];
    do {
      take();
      const label = take().text;
      const operator = take().text;
      if (!/^[=!][=~]?$/.test(operator)) throw new Error(`${operator} in ${expression}`);
      matchers.push({ label, operator, value: take().text.slice(1, -1) });
    } while (peek() === ',');
    expect('}');
    return matchers;
  }

  function takeWord(word: string): void {
    if (FUNCTIONS.has(word) || AGGREGATIONS.has(word)) {
      if (peek() === 'by') {
        take();
        takeLabels();
      }
      expect('(');
      open.push(word);
      return;
    }
    if (peek() === '(') throw new Error(`${word} is no function known here, in ${expression}`);
    const matchers = takeMatchers();
    const ranged = tokens[at]?.kind === 'range';
    if (ranged) take();
    selectors.push({ metric: word, matchers, ranged, within: open.at(-1) ?? '' });
  }

  while (at < tokens.length) {
    const { kind, text } = take();
    if (kind === 'word') takeWord(text);
    else if (text === '(') open.push('');
    else if (text === ')' && open.pop() === undefined) throw new Error(`) in ${expression}`);
    else if (kind === 'string' || kind === 'range' || /^[={}!]/.test(text)) {
      throw new Error(`${text} in ${expression}`);
    }
  }
  if (open.length > 0) throw new Error(`${expression} is not closed`);
  return { selectors, grouped };
}
