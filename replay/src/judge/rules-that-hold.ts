import type { Match, Rule } from '@guard/config/settings/sections/rule';

/** Returns whether a log has a header field. The name is in lower case. */
export type HasHeader = (header: string) => boolean;

interface AdaptedRules {
  readonly rules: readonly Rule[];
  /**
   * The data that rules need and the log does not have, each as a part of a sentence: `rule partner asks for header
   * x-partner`.
   */
  readonly missingData: readonly string[];
}

const NEVER: Match = { any: [] };

/**
 * Adapts rules to the headers that a log has. The value of a missing header is unknown. A rule is applied only if it
 * would match for every possible value. A budget for each value of a missing header is removed.
 */
export function rulesThatHold(rules: readonly Rule[], hasHeader: HasHeader): AdaptedRules {
  const missingData: string[] = [];
  const adaptedRules = rules.map((rule) => {
    const missingHeaders = new Set(headersIn(rule.match).filter((name) => !hasHeader(name)));
    const { rate_limit } = rule;
    const missingBudgetHeaders = (rate_limit?.by ?? [])
      .filter((budgetKey) => budgetKey.startsWith('header:'))
      .map((budgetKey) => budgetKey.slice('header:'.length).toLowerCase())
      .filter((name) => !hasHeader(name));
    for (const name of missingHeaders)
      missingData.push(`rule ${rule.name} asks for header ${name}`);
    for (const name of missingBudgetHeaders)
      missingData.push(`the budget of rule ${rule.name} asks for header ${name}`);
    return {
      ...rule,
      match: missingHeaders.size === 0 ? rule.match : whenAlwaysTrue(rule.match, hasHeader),
      rate_limit: missingBudgetHeaders.length === 0 ? rate_limit : undefined,
    };
  });
  return { rules: adaptedRules, missingData };
}

/** Returns a match that is true only if the given match is true for every value of the missing headers. */
function whenAlwaysTrue(match: Match, hasHeader: HasHeader): Match {
  return needsMissingHeader(match, hasHeader)
    ? NEVER
    : mapNested(match, hasHeader, whenAlwaysTrue, whenPossiblyTrue);
}

/** Returns a match that is true if the given match can be true for some value of the missing headers. */
function whenPossiblyTrue(match: Match, hasHeader: HasHeader): Match {
  const knownFields = Object.entries(match.header ?? {}).filter(([name]) => hasHeader(name));
  const header = knownFields.length === 0 ? undefined : Object.fromEntries(knownFields);
  return mapNested({ ...match, header }, hasHeader, whenPossiblyTrue, whenAlwaysTrue);
}

type MatchRewrite = typeof whenAlwaysTrue;

function mapNested(
  match: Match,
  hasHeader: HasHeader,
  rewriteNested: MatchRewrite,
  rewriteNegated: MatchRewrite,
): Match {
  const { any, all, not } = match;
  return {
    ...match,
    any: any?.map((nested) => rewriteNested(nested, hasHeader)),
    all: all?.map((nested) => rewriteNested(nested, hasHeader)),
    not: not && rewriteNegated(not, hasHeader),
  };
}

function needsMissingHeader({ header = {} }: Match, hasHeader: HasHeader): boolean {
  return Object.keys(header).some((name) => !hasHeader(name));
}

function headersIn({ header = {}, any = [], all = [], not }: Match): string[] {
  const nestedMatches = not === undefined ? [...any, ...all] : [...any, ...all, not];
  return [...Object.keys(header), ...nestedMatches.flatMap(headersIn)];
}
