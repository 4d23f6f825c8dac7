import { compileHosts } from '@guard/config/matching/host';
import { PRESET_PREFIX } from '@guard/config/settings/sections/preset-names';
import { presetRules } from '@guard/config/settings/presets/preset-rules';
import { type Rule, allMatchesOf } from '@guard/config/settings/sections/rule';
import type { Organisation, Settings } from '@guard/config/settings/schema';
import { hint, type Remark, warning } from './remark.ts';

const DIRECTIVES = ['verdict', 'detect', 'rate_limit', 'challenge', 'monitor'] as const;
type Directive = (typeof DIRECTIVES)[number];

/**
 * Warns of rules without effect. For each directive the first matching rule decides. So a rule cannot set a directive
 * when an earlier rule sets it and matches all requests. Only an empty match is treated as a match of all requests.
 */
export function idleRules(organisation: Organisation, index: number): Remark[] {
  const takenDirectives = new Map<Directive, string>();
  const remarks: Remark[] = [];
  organisation.rules.forEach((rule, ruleIndex) => {
    const noEffect = idlenessOf(rule, takenDirectives);
    const rulePath = ['organisations', index, 'rules', ruleIndex];
    if (noEffect)
      remarks.push(warning(rulePath, `${noEffect.message}; move ${rule.name} in front of it`));
    if (!matchesEverything(rule)) return;
    for (const directive of directivesOf(rule)) {
      if (!takenDirectives.has(directive)) takenDirectives.set(directive, rule.name);
    }
  });
  for (const rule of presetRules(organisation)) {
    // A budget of a preset gets no warning, because the user can want to replace it with another budget.
    const idle = idlenessOf({ ...rule, rate_limit: undefined }, takenDirectives);
    if (!idle) continue;
    const preset = rule.name.slice(PRESET_PREFIX.length);
    const message = `${idle.message}; presets come after your rules, so give ${idle.by} a condition, or take ${preset} out of presets`;
    remarks.push(warning(['organisations', index, 'presets'], message));
  }
  return remarks;
}

/** Why a rule has no effect. Undefined when it can have an effect. `by` names the rules that replace it. */
function idlenessOf(
  rule: Rule,
  takenDirectives: ReadonlyMap<Directive, string>,
): { readonly message: string; readonly by: string } | undefined {
  const idleDirectives = directivesOf(rule).filter((directive) => takenDirectives.has(directive));
  if (idleDirectives.length === 0) return undefined;
  const takenBy = idleDirectives.map((directive) => takenDirectives.get(directive));
  const earlierRules = [...new Set(takenBy)].join(', ');
  const subject =
    idleDirectives.length === directivesOf(rule).length
      ? `rule ${rule.name} never counts`
      : `${idleDirectives.join(', ')} of rule ${rule.name} never count${idleDirectives.length === 1 ? 's' : ''}`;
  const message = `${subject}: ${earlierRules} comes before it and sets ${idleDirectives.join(', ')} for every request`;
  return { message, by: earlierRules };
}

/** `monitor: false` has no effect (contract 1). */
function directivesOf(rule: Rule): Directive[] {
  return DIRECTIVES.filter(
    (name) => rule[name] !== undefined && (name !== 'monitor' || rule.monitor),
  );
}

function matchesEverything({ match }: Rule): boolean {
  return Object.values(match).every((condition) => condition === undefined);
}

/**
 * Warns of rules that can never match, because no site of their organisation has their hosts. A host with a wildcard is
 * never reported. An organisation with secret keys is skipped, because a backend that calls POST /validate can have any
 * host.
 */
export function unservedHosts(
  { id, rules, secret_keys: keys }: Organisation,
  index: number,
  sites: Settings['sites'],
): Remark[] {
  if (keys.length > 0) return [];
  const siteOf = compileHosts(sites.map((site) => ({ hosts: site.hosts, value: site })));
  const isUnserved = (host: string) => !host.includes('*') && siteOf(host)?.organisation !== id;
  return rules.flatMap(({ name, match: { host: hosts } }, ruleIndex): Remark[] => {
    if (!hosts?.every(isUnserved)) return [];
    const message = `rule ${name} never matches: no site of organisation ${id} has the host ${hosts.join(' or ')}`;
    return [warning(['organisations', index, 'rules', ruleIndex], message)];
  });
}

/** Whether the rule blocks or limits, and is not in monitor mode itself. */
function isEnforced({ monitor, verdict, rate_limit }: Rule): boolean {
  return monitor !== true && (verdict === 'block' || rate_limit !== undefined);
}

/**
 * Reports rules in monitor mode, because users forget them. For an organisation in monitor mode there is another
 * remark.
 */
export function monitoredRules({ monitor, rules }: Organisation, index: number): Remark[] {
  if (monitor) return [];
  return rules.flatMap((rule, ruleIndex) => {
    if (rule.monitor !== true) return [];
    // Users expect that monitor concerns only its own rule.
    const lifted = matchesEverything(rule) ? rules.filter(isEnforced) : [];
    const others =
      lifted.length === 0
        ? ''
        : `; also those by ${lifted.map(({ name }) => `rule ${name}`).join(' and ')}, because the match {} is for every request`;
    const message = `monitor is on: blocks of requests that rule ${rule.name} matches are recorded, and not enforced${others}`;
    return [hint(['organisations', index, 'rules', ruleIndex, 'monitor'], message)];
  });
}

/** Warns of rules with a handshake condition when Guard sees no handshakes with these settings. */
export function unseenHandshakes({ organisations, listen }: Settings): Remark[] {
  if (listen.gateway_tls !== undefined) return [];
  return organisations.flatMap(({ rules }, index) =>
    rules.flatMap(({ name, match }, ruleIndex): Remark[] => {
      if (allMatchesOf(match).every(({ ja4 }) => ja4 === undefined)) return [];
      const message = `ja4 of rule ${name} never matches: Guard sees a handshake only on listen.gateway_tls, which is not set`;
      return [warning(['organisations', index, 'rules', ruleIndex, 'match'], message)];
    }),
  );
}
