import type { Category } from '@guard/config/contract/reason-entry';
import { reasons, type Reason } from '@guard/config/contract/reasons';
import { sessionDigest } from '@guard/config/contract/session-digest';
import {
  compileFoldedGlob,
  compilePattern,
  compileTextPattern,
  foldPath,
  type Pattern,
  readsWhole,
} from '@guard/config/matching/glob';
import { compileExemption } from '@guard/config/matching/exemption';
import { compileHosts } from '@guard/config/matching/host';
import { PrefixSet } from '@guard/config/net/prefix-set';
import { type Match, allMatchesOf } from '@guard/config/settings/sections/rule';
import type { Facts } from '../request/facts.ts';
import { CompileOnce } from './compile-once.ts';
import { compileField } from './header-field.ts';
import { queriesInPath } from './queries-in-path.ts';
import { compileParameter } from './query-parameter.ts';
import type { Reading } from './reading.ts';

export type Condition = (facts: Facts, findings: LazyFindings) => boolean;

/** The findings of a request. They are computed at the first use, because most requests need none. */
export interface LazyFindings {
  all(): readonly Reason[];
}

type ConditionValues = { readonly [Name in keyof Match]-?: NonNullable<Match[Name]> };
type Compilers = {
  readonly [Name in keyof ConditionValues]: (
    expectedValues: ConditionValues[Name],
    reading: Reading,
  ) => Condition;
};

/**
 * One compiler for each condition of guard.yaml. Conditions are checked in this order: cheap conditions first, findings
 * and inner matches last. The type requires a compiler for each condition of the schema, because a rule with a
 * forgotten condition would match all visitors.
 */
const compilers: Compilers = {
  method: methodIs,
  host: hostIs,
  session: sessionIs,
  crawler: crawlerIs,
  agent: agentIs,
  ip: addressIn,
  ja4: ja4Is,
  path: pathIs,
  asn: asnIs,
  country: countryIs,
  header: headersAre,
  query: parametersAre,
  user_agent: userAgentIs,
  category: foundCategory,
  reason: foundReason,
  all: (matches, reading) => allOf(matches.map((match) => compileMatch(match, reading))),
  any: (matches, reading) => anyOf(matches.map((match) => compileMatch(match, reading))),
  // `not` holds in some reading when its match does not hold in every reading. So the match is compiled with the
  // opposite value of Reading.
  not: negationOf,
};
// The object above is a literal, so its keys are exactly the keys of the type.
const CONDITIONS = Object.keys(compilers) as readonly (keyof Match)[];

/** Compiles one `match` of guard.yaml. All its conditions must hold. An empty match always holds. */
export function compileMatch(match: Match, reading: Reading): Condition {
  return allOf(CONDITIONS.flatMap((name) => compileCondition(name, match[name], reading) ?? []));
}

function compileCondition<Name extends keyof Match>(
  name: Name,
  value: ConditionValues[Name] | undefined,
  reading: Reading,
): Condition | undefined {
  return value === undefined ? undefined : compilers[name](value, reading);
}

/**
 * For a path with only one reading that folding does not change: whether the match holds in every reading when it holds
 * in some reading. This is true when the match has no condition on the query, names no session digest, has only globs
 * that are already folded, and has only regular expressions that read the whole value.
 */
export function isSureOfPlainPaths(match: Match): boolean {
  const isFolded = (pattern: Pattern) =>
    typeof pattern !== 'string' || (foldPath(pattern) === pattern && !pattern.endsWith('/*'));
  return allMatchesOf(match).every(
    ({ path = [], query, header = {}, user_agent = [], session }) =>
      query === undefined &&
      !Array.isArray(session) &&
      path.every(isFolded) &&
      [...path, ...user_agent, ...Object.values(header)].every(readsWhole),
  );
}

// The next functions use loops, because `every` and `some` would create functions at every request. With twenty rules,
// these functions took a fifth of the memory that a decision allocated.

function allOf(conditions: readonly Condition[]): Condition {
  const [firstCondition] = conditions;
  if (firstCondition === undefined) return () => true;
  if (conditions.length === 1) return firstCondition;
  return (facts, findings) => {
    for (const condition of conditions) if (!condition(facts, findings)) return false;
    return true;
  };
}

function anyOf(conditions: readonly Condition[]): Condition {
  return (facts, findings) => {
    for (const condition of conditions) if (condition(facts, findings)) return true;
    return false;
  };
}

type TextTest = (text: string) => boolean;

function anyTest(tests: readonly TextTest[]): TextTest {
  const [firstTest] = tests;
  if (firstTest !== undefined && tests.length === 1) return firstTest;
  return (text) => {
    for (const test of tests) if (test(text)) return true;
    return false;
  };
}

function isText(expectedText: string): TextTest {
  return (text) => text === expectedText;
}

function negate(condition: Condition): Condition {
  return (facts, findings) => !condition(facts, findings);
}

/** Caches the result for the last host, because a site has few hosts and a comparison is slow. */
function hostIs(hosts: readonly string[]): Condition {
  const find = compileHosts([{ hosts, value: true }]);
  let lastHost: string | undefined;
  let lastHolds = false;
  return ({ url: { host } }) => {
    if (host === lastHost) return lastHolds;
    lastHolds = find(host) === true;
    lastHost = host;
    return lastHolds;
  };
}

/** With the reading `some`, a glob ignores case. A regular expression itself decides whether case matters. */
function pathIs(patterns: readonly Pattern[], reading: Reading): Condition {
  if (reading === 'every') {
    const matches = anyTest(
      patterns.map((pattern) =>
        typeof pattern === 'string' ? compileExemption(pattern) : compilePattern(pattern, false),
      ),
    );
    return (facts) => facts.paths.every(matches);
  }
  const globs = patterns.filter((pattern) => typeof pattern === 'string');
  const matchesFolded = anyTest(globs.map(compileFoldedGlob));
  if (globs.length === patterns.length) return (facts) => facts.foldedPaths.some(matchesFolded);
  const regexes = patterns.filter((pattern) => typeof pattern !== 'string');
  const matchesRaw = anyTest(regexes.map((pattern) => compilePattern(pattern, true)));
  return (facts) => facts.foldedPaths.some(matchesFolded) || facts.paths.some(matchesRaw);
}

function methodIs(methods: readonly string[]): Condition {
  const isWanted = anyTest(methods.map((method) => isText(method.toUpperCase())));
  return (facts) => isWanted(facts.method);
}

/** Compiled lists. Both values of Reading and all rules with the same list share them. */
const lists = new CompileOnce();

function addressIn(ranges: readonly string[]): Condition {
  const networks = PrefixSet.of(ranges);
  return (facts) => networks.has(facts.ip);
}

/** Does not hold when Guard did not see the handshake. */
function ja4Is(fingerprints: readonly string[]): Condition {
  const wantedFingerprints = lists.compileOnce(fingerprints, (list) => new Set(list));
  return ({ transport }) =>
    transport?.hello !== undefined && wantedFingerprints.has(transport.hello.ja4);
}

/** Compiles `not`. A negated condition on the handshake holds only when Guard saw a handshake. */
function negationOf(match: Match, reading: Reading): Condition {
  const negation = negate(compileMatch(match, reading === 'some' ? 'every' : 'some'));
  if (allMatchesOf(match).every(({ ja4 }) => ja4 === undefined)) return negation;
  return allOf([({ transport }) => transport?.hello !== undefined, negation]);
}

function countryIs(countries: readonly string[]): Condition {
  const wantedCountries = new Set(countries.map((country) => country.toUpperCase()));
  return (facts) => wantedCountries.has(facts.country());
}

function asnIs(systems: readonly number[]): Condition {
  const wantedSystems = lists.compileOnce(systems, (list) => new Set(list));
  return (facts) => wantedSystems.has(facts.asn());
}

function headersAre(headers: Readonly<Record<string, Pattern>>, reading: Reading): Condition {
  const tests = Object.entries(headers).map(([name, pattern]) =>
    compileField(name.toLowerCase(), compileTextPattern(pattern, reading === 'some'), reading),
  );
  return (facts) => {
    for (const holds of tests) if (!holds(facts.headers)) return false;
    return true;
  };
}

function parametersAre(parameters: Readonly<Record<string, Pattern>>, reading: Reading): Condition {
  const tests = Object.entries(parameters).map(([name, pattern]) =>
    compileParameter(name, compileTextPattern(pattern, reading === 'some'), reading),
  );
  return ({ url }) => {
    const otherQueries = queriesInPath(url);
    for (const holds of tests) {
      const isHeld =
        reading === 'some'
          ? holds(url.query) || otherQueries.some(holds)
          : holds(url.query) && otherQueries.every(holds);
      if (!isHeld) return false;
    }
    return true;
  };
}

function userAgentIs(patterns: readonly Pattern[], reading: Reading): Condition {
  const matches = anyTest(
    patterns.map((pattern) => compileTextPattern(pattern, reading === 'some')),
  );
  return (facts) => matches(facts.userAgent);
}

function crawlerIs(condition: NonNullable<Match['crawler']>): Condition {
  const names = condition.name && new Set(condition.name.map((name) => name.toLowerCase()));
  const categories = condition.category && new Set<string>(condition.category);
  const rslCategories = condition.rsl_category && new Set<string>(condition.rsl_category);
  return ({ crawler }) => {
    if (!crawler) return condition.identified === false;
    return (
      condition.identified !== false &&
      (condition.verified === undefined || condition.verified === crawler.verified) &&
      (condition.allowlisted === undefined || condition.allowlisted === crawler.allowlisted) &&
      (names === undefined || names.has(crawler.name.toLowerCase())) &&
      (categories === undefined || categories.has(crawler.category)) &&
      (rslCategories === undefined || rslCategories.has(crawler.rslCategory))
    );
  };
}

/**
 * Compares the name or the directory of the signed agent, and ignores case. `*` matches every agent with a valid
 * signature.
 */
function agentIs(agents: readonly string[]): Condition {
  const wantedAgents = new Set(agents.map((agent) => agent.toLowerCase().replace(/\/$/, '')));
  const isAny = wantedAgents.has('*');
  return ({ signedAgent }) =>
    signedAgent !== undefined &&
    (isAny ||
      wantedAgents.has(signedAgent.name.toLowerCase()) ||
      wantedAgents.has(signedAgent.directory));
}

function foundCategory(categories: readonly Category[]): Condition {
  const wantedCategories: ReadonlySet<Category> = new Set(categories);
  return (_facts, findings) =>
    findings.all().some((reason) => wantedCategories.has(reasons[reason].category));
}

function foundReason(list: readonly Reason[]): Condition {
  const wantedReasons = new Set(list);
  return (_facts, findings) => findings.all().some((reason) => wantedReasons.has(reason));
}

/**
 * Matches a session by its state or its digest. A digest matches a session with a MAC of Guard, or a judged session. A
 * session value that a client invents has the state `none` and never matches. The digest is no secret, because no
 * session can be computed from it. A rule that lets requests through does not match a session that another client uses
 * too.
 */
function sessionIs(condition: NonNullable<Match['session']>, reading: Reading): Condition {
  if (condition === 'verified') return (facts) => facts.session.state === condition;
  const digests = new Set(condition);
  return ({ session }) => {
    if (session.state === 'none') return false;
    const isLost = session.state === 'issued' && session.lost !== undefined;
    return !(isLost && reading === 'every') && digests.has(sessionDigest(session.id));
  };
}
