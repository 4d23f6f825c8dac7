import { parser } from '@prometheus-io/lezer-promql';

/** A metric in a PromQL expression, and its use. */
export interface Selector {
  readonly metric: string;
  /** The labels of the selector, with operator and value. */
  readonly matchers: readonly {
    readonly label: string;
    readonly operator: string;
    readonly value: string;
  }[];
  /** True if the selector has a range of time. */
  readonly ranged: boolean;
  /** The function or aggregation around the selector. Empty when there is none. */
  readonly within: string;
}

export interface Expression {
  readonly selectors: readonly Selector[];
  /** The labels of all `by (…)`. */
  readonly grouped: readonly string[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

/**
 * Returns the selectors and groupings of one PromQL expression. Grafana's variables in it are read as times. Throws for
 * text that is not PromQL, and for `without`, because its remaining labels are unknown.
 */
export function readPromql(expression: string): Expression {
  const text = expression.replaceAll('$__rate_interval', '5m');
  const selectors: Selector[] = [];
  const grouped: string[] = [];
  const textOf = (node: Node | null) => (node === null ? '' : text.slice(node.from, node.to));

  function selectorAt(node: Node): Selector {
    const matchers = [...childrenOf(node.getChild('LabelMatchers'))].map((matcher) => ({
      label: textOf(matcher.getChild('LabelName')),
      operator: textOf(matcher.getChild('MatchOp')),
      value: textOf(matcher.getChild('StringLiteral')).slice(1, -1),
    }));
    const ranged = node.parent?.name === 'MatrixSelector';
    return { metric: textOf(node.getChild('Identifier')), matchers, ranged, within: within(node) };
  }

  function within(node: Node): string {
    const { parent } = node;
    if (parent === null) return '';
    const isCall = parent.name === 'FunctionCall' || parent.name === 'AggregateExpr';
    return isCall ? textOf(parent.firstChild) : within(parent);
  }

  parser.parse(text).iterate({
    enter: ({ type, node }) => {
      if (type.isError || type.name === 'Without') throw new Error(`cannot read ${expression}`);
      if (type.name === 'VectorSelector') selectors.push(selectorAt(node));
      if (type.name === 'GroupingLabels') grouped.push(...[...childrenOf(node)].map(textOf));
    },
  });
  return { selectors, grouped };
}

function* childrenOf(node: Node | null): Generator<Node> {
  for (let child = node?.firstChild; child; child = child.nextSibling) yield child;
}
