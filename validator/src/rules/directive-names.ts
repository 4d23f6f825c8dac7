import type { Rule } from '@guard/config/settings/sections/rule';
import type { Directives } from './directives.ts';

const DIRECTIVES = ['verdict', 'detect', 'rate_limit', 'challenge', 'monitor'] as const;
export type DirectiveName = (typeof DIRECTIVES)[number];

/** The directives that a rule sets. `monitor: false` sets nothing (contract 1). */
export function setBy(rule: Rule): Partial<Pick<Rule, DirectiveName>> {
  const { verdict, detect, rate_limit, challenge, monitor } = rule;
  return {
    ...(verdict !== undefined && { verdict }),
    ...(detect !== undefined && { detect }),
    ...(rate_limit !== undefined && { rate_limit }),
    ...(challenge !== undefined && { challenge }),
    ...(monitor === true && { monitor }),
  };
}

/** The directives whose value comes from this matching rule. */
export function directivesOf(rule: Rule, directives: Directives): DirectiveName[] {
  const { verdict, detect, rateLimit, challenge } = directives;
  const decides: Record<DirectiveName, boolean> = {
    verdict: verdict?.by === rule,
    detect: detect?.by === rule,
    rate_limit: rateLimit?.by === rule,
    challenge: challenge?.by === rule,
    monitor: rule.monitor === true,
  };
  return DIRECTIVES.filter((name) => decides[name]);
}
