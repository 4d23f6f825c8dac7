import { compilePattern } from '@guard/config/matching/glob';
import { PRESETS } from '@guard/config/settings/sections/preset-names';
import type { Rule } from '@guard/config/settings/sections/rule';
import type { Organisation, Settings } from '@guard/config/settings/schema';
import { hint, type Remark, warning } from './remark.ts';

/** Programs that many sites have, and where they ask. */
const PROGRAMS = [
  { preset: 'feeds', path: '/feed' },
  { preset: 'git', path: '/project.git/info/refs' },
] as const;

/**
 * Whom the rules of an organisation challenge. Where they challenge no visitor whose headers look right, a script
 * that copies the headers of a browser passes. Where they do, programs that can never pass need a way through.
 */
export function challengedVisitors(organisation: Organisation, index: number): Remark[] {
  const { id, rules, presets } = organisation;
  if (rules.length === 0) return [];
  if (!rules.some((rule) => challengesAnybody(rule, organisation))) {
    const message = `no rule of organisation ${id} ever challenges a visitor whose headers look right, so a script that copies a browser passes: give a rule \`detect: true\` and \`challenge: auto\`, or \`challenge: always\``;
    return [warning(['organisations', index, 'rules'], message)];
  }
  const place = ['organisations', index];
  if (presets.length === 0) {
    const message = `programs cannot pass a challenge, and no preset lets any through: choose from \`presets: [${PRESETS.join(', ')}]\`, and give an API for programs a rule with \`challenge: never\``;
    return [hint(place, message)];
  }
  const left = PROGRAMS.filter(({ preset, path }) => {
    return !presets.includes(preset) && !isUnchallenged(path, rules);
  });
  if (left.length === 0) return [];
  const names = left.map(({ preset }) => preset).join(', ');
  const message = `programs that read ${names} cannot pass a challenge: where your site has them, add ${names} to its presets`;
  return [hint(place, message)];
}

/** Whether a rule names the path and never challenges. Its other conditions are not looked at. */
function isUnchallenged(path: string, rules: readonly Rule[]): boolean {
  return rules.some(
    ({ verdict, challenge, match }) =>
      (verdict !== undefined || challenge === 'never') &&
      (match.path ?? []).some((pattern) => compilePattern(pattern)(path)),
  );
}

/** A visitor without findings meets the challenge by this rule, sooner or later. */
function challengesAnybody(
  { verdict, detect, challenge }: Rule,
  organisation: Organisation,
): boolean {
  if (verdict !== undefined || challenge === 'never') return false;
  if (challenge === 'always') return true;
  const isAuto = challenge === 'auto' || detect === true;
  return isAuto && organisation.challenge.free_pages !== false;
}

/**
 * An organisation whose backends ask POST /validate, and whose pages are not named anywhere: browsers may not
 * upload from them to the collector, so no visitor can pass a challenge.
 */
export function unlistedPages(
  { id, secret_keys: keys, script_origins: origins }: Organisation,
  index: number,
  { listen, sites }: Settings,
): Remark[] {
  const isNamed = origins.length > 0 || sites.some(({ organisation }) => organisation === id);
  if (keys.length === 0 || listen.collector === undefined || isNamed) return [];
  const message = `no page of organisation ${id} may upload to the collector, so no visitor passes a challenge: list where its pages are in script_origins`;
  return [warning(['organisations', index], message)];
}
