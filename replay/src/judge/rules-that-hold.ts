import type { Match, Rule } from '@guard/config/settings/sections/rule';

/** Says whether a log has a header. The name is in lower case. */
export type Knows = (header: string) => boolean;

export interface KnownRules {
  readonly rules: readonly Rule[];
  /** Data that rules need but the log lacks, as phrases: `rule partner asks for header x-partner`. */
  readonly unknown: readonly string[];
}

/** A match that is never true. */
const NEVER: Match = { any: [] };

/**
 * Adapts rules to the headers that a log has. The value of a missing header is unknown. A rule applies only if it would
 * match for every possible value. A budget that counts by a missing header is dropped.
 */
export function rulesThatHold(rules: readonly Rule[], knows: Knows): KnownRules {
  const unknown: string[] = [];
  const known = rules.map((rule) => {
    const asked = new Set(headersIn(rule.match).filter((name) => !knows(name)));
    const { rate_limit } = rule;
    const uncounted = (rate_limit?.by ?? [])
      .filter((by) => by.startsWith('header:'))
      .map((by) => by.slice('header:'.length).toLowerCase())
      .filter((name) => !knows(name));
    for (const name of asked) unknown.push(`rule ${rule.name} asks for header ${name}`);
    for (const name of uncounted)
      unknown.push(`the budget of rule ${rule.name} asks for header ${name}`);
    return {
      ...rule,
      match: asked.size === 0 ? rule.match : whenAlwaysTrue(rule.match, knows),
      rate_limit: uncounted.length === 0 ? rate_limit : undefined,
    };
  });
  return { rules: known, unknown };
}

/** True only if the match is true for every value of the unknown headers. */
function whenAlwaysTrue(match: Match, knows: Knows): Match {
  return asksUnknown(match, knows)
    ? NEVER
    : mapNested(match, knows, whenAlwaysTrue, whenPossiblyTrue);
}

/** True if the match is true for some value of the unknown headers. */
function whenPossiblyTrue(match: Match, knows: Knows): Match {
  const known = Object.entries(match.header ?? {}).filter(([name]) => knows(name));
  const header = known.length === 0 ? undefined : Object.fromEntries(known);
  return mapNested({ ...match, header }, knows, whenPossiblyTrue, whenAlwaysTrue);
}

type MatchRewrite = typeof whenAlwaysTrue;

function mapNested(match: Match, knows: Knows, same: MatchRewrite, opposite: MatchRewrite): Match {
  const { any, all, not } = match;
  return {
    ...match,
    any: any?.map((one) => same(one, knows)),
    all: all?.map((one) => same(one, knows)),
    not: not && opposite(not, knows),
  };
}

function asksUnknown({ header = {} }: Match, knows: Knows): boolean {
  return Object.keys(header).some((name) => !knows(name));
}

function headersIn({ header = {}, any = [], all = [], not }: Match): string[] {
  const further = not === undefined ? [...any, ...all] : [...any, ...all, not];
  return [...Object.keys(header), ...further.flatMap(headersIn)];
}
