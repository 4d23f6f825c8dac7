import { type Category, reasons, type Reason } from '@guard/config/contract/reasons';
import { compilePattern, compileTextPattern } from '@guard/config/matching/glob';
import { compileHosts } from '@guard/config/matching/host';
import { PrefixSet } from '@guard/config/net/prefix-set';
import type { Match, Pattern } from '@guard/config/settings/rule';
import type { Facts } from '../request/facts.ts';

/** A compiled match. `findings` is a function because few rules ask and most requests need none. */
export type Condition = (facts: Facts, findings: () => readonly Reason[]) => boolean;

/** Compiles one `match` of guard.yaml: all given conditions must hold, an empty one holds always. */
export function compileMatch(match: Match): Condition {
  const conditions = [
    match.host && hostIs(match.host),
    match.path && pathIs(match.path),
    match.method && methodIs(match.method),
    match.ip && addressIn(match.ip),
    match.country && countryIs(match.country),
    match.header && headersAre(match.header),
    match.user_agent && userAgentIs(match.user_agent),
    match.crawler && crawlerIs(match.crawler),
    match.category && foundCategory(match.category),
    match.session && sessionIsVerified,
    match.any && anyOf(match.any.map(compileMatch)),
    match.all && allOf(match.all.map(compileMatch)),
    match.not && no(compileMatch(match.not)),
  ].filter((condition) => condition !== undefined);
  return allOf(conditions);
}

function allOf(conditions: readonly Condition[]): Condition {
  const [only] = conditions;
  if (only === undefined) return () => true;
  if (conditions.length === 1) return only;
  return (facts, findings) => conditions.every((condition) => condition(facts, findings));
}

function anyOf(conditions: readonly Condition[]): Condition {
  return (facts, findings) => conditions.some((condition) => condition(facts, findings));
}

function no(condition: Condition): Condition {
  return (facts, findings) => !condition(facts, findings);
}

function hostIs(hosts: readonly string[]): Condition {
  const find = compileHosts([{ hosts, value: true }]);
  return (facts) => find(facts.url.host) === true;
}

/** One reading of the path is enough: a rule is not evaded by writing the path in another way. */
function pathIs(patterns: readonly Pattern[]): Condition {
  const tests = patterns.map(compilePattern);
  return (facts) => facts.paths.some((path) => tests.some((matches) => matches(path)));
}

function methodIs(methods: readonly string[]): Condition {
  const wanted = new Set(methods.map((method) => method.toUpperCase()));
  return (facts) => wanted.has(facts.method.toUpperCase());
}

function addressIn(ranges: readonly string[]): Condition {
  const set = PrefixSet.from(ranges);
  return (facts) => set.has(facts.ip);
}

function countryIs(countries: readonly string[]): Condition {
  const wanted = new Set(countries.map((country) => country.toUpperCase()));
  return (facts) => wanted.has(facts.country());
}

function headersAre(headers: Readonly<Record<string, Pattern>>): Condition {
  const tests = Object.entries(headers).map(
    ([name, pattern]) => [name.toLowerCase(), compileTextPattern(pattern)] as const,
  );
  return (facts) =>
    tests.every(([name, matches]) => {
      const value = facts.headers[name];
      return value !== undefined && matches(value);
    });
}

function userAgentIs(patterns: readonly Pattern[]): Condition {
  const tests = patterns.map(compileTextPattern);
  return (facts) => tests.some((matches) => matches(facts.userAgent));
}

function crawlerIs(wanted: NonNullable<Match['crawler']>): Condition {
  const names = wanted.name && new Set(wanted.name.map((name) => name.toLowerCase()));
  const categories = wanted.category && new Set(wanted.category);
  const rslCategories = wanted.rsl_category && new Set(wanted.rsl_category);
  return ({ crawler }) => {
    if (!crawler) return wanted.identified === false;
    return (
      wanted.identified !== false &&
      (wanted.verified === undefined || wanted.verified === crawler.verified) &&
      (wanted.allowlisted === undefined || wanted.allowlisted === crawler.allowlisted) &&
      (names === undefined || names.has(crawler.name.toLowerCase())) &&
      (categories === undefined || categories.has(crawler.category)) &&
      (rslCategories === undefined || rslCategories.has(crawler.rslCategory))
    );
  };
}

function foundCategory(categories: readonly Category[]): Condition {
  const wanted: ReadonlySet<Category> = new Set(categories);
  return (_facts, findings) => findings().some((reason) => wanted.has(reasons[reason].category));
}

const sessionIsVerified: Condition = (facts) => facts.session.state === 'verified';
