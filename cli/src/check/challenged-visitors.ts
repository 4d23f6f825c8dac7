import { PRESETS } from '@guard/config/settings/presets/preset-names';
import type { Rule } from '@guard/config/settings/rule';
import type { Organisation } from '@guard/config/settings/schema';
import type { Remark } from './remark.ts';

/**
 * Whom the rules of an organisation challenge. Where they challenge no visitor whose headers look right, a script
 * that copies the headers of a browser passes. Where they do, programs that can never pass need a way through.
 */
export function challengedVisitors(organisation: Organisation, index: number): Remark[] {
  const { id, rules, presets } = organisation;
  if (rules.length === 0) return [];
  if (!rules.some((rule) => challengesAnybody(rule, organisation))) {
    const message = `no rule of organisation ${id} ever challenges a visitor whose headers look right, so a script that copies a browser passes: give a rule \`detect: true\` and \`challenge: auto\`, or \`challenge: always\``;
    return [{ level: 'warning', path: ['organisations', index, 'rules'], message }];
  }
  if (presets.length > 0) return [];
  const message = `programs cannot pass a challenge, and no preset lets any through: choose from \`presets: [${PRESETS.join(', ')}]\`, and give an API for programs a rule with \`challenge: never\``;
  return [{ level: 'hint', path: ['organisations', index], message }];
}

/** A visitor against whom nothing speaks meets the challenge by this rule, sooner or later. */
function challengesAnybody(
  { verdict, detect, challenge }: Rule,
  organisation: Organisation,
): boolean {
  if (verdict !== undefined || challenge === 'never') return false;
  if (challenge === 'always') return true;
  const isAuto = challenge === 'auto' || detect === true;
  return isAuto && organisation.challenge.free_pages !== false;
}
