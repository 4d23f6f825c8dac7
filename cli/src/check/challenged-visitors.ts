import { compilePattern } from '@guard/config/matching/glob';
import { PRESETS } from '@guard/config/settings/sections/preset-names';
import { type Rule, allMatchesOf } from '@guard/config/settings/sections/rule';
import type { Organisation, Settings } from '@guard/config/settings/schema';
import { hint, type Remark, warning } from './remark.ts';

/** Kinds of programs that request many sites, and their paths. */
const PROGRAMS = [
  { preset: 'feeds', path: '/feed' },
  { preset: 'git', path: '/project.git/info/refs' },
] as const;

/**
 * Says which visitors the rules of an organisation challenge. If visitors with correct headers are never challenged,
 * a script that copies a browser passes. If they are challenged, programs that cannot pass a challenge need an
 * exception.
 */
export function challengedVisitors(organisation: Organisation, index: number): Remark[] {
  const { id, rules, presets } = organisation;
  if (rules.length === 0) return [];
  if (!rules.some((rule) => challengesAnyVisitor(rule, organisation))) {
    const message = `no rule of organisation ${id} ever challenges a visitor whose headers look right, so a script that copies a browser passes: give a rule \`detect: true\` and \`challenge: auto\`, or \`challenge: always\``;
    return [warning(['organisations', index, 'rules'], message)];
  }
  const organisationPath = ['organisations', index];
  if (presets.length === 0) {
    const message = `programs cannot pass a challenge, and no preset lets any through: choose from \`presets: [${PRESETS.join(', ')}]\`, and give an API for programs a rule with \`challenge: never\``;
    return [hint(organisationPath, message)];
  }
  const unservedPrograms = PROGRAMS.filter(({ preset, path }) => {
    return !presets.includes(preset) && !isUnchallenged(path, rules);
  });
  if (unservedPrograms.length === 0) return [];
  const names = unservedPrograms.map(({ preset }) => preset).join(', ');
  const message = `programs that read ${names} cannot pass a challenge: where your site has them, add ${names} to its presets`;
  return [hint(organisationPath, message)];
}

/** Whether a rule names the path and never challenges. Its other conditions are ignored. */
export function isUnchallenged(path: string, rules: readonly Rule[]): boolean {
  return rules.some(
    ({ verdict, challenge, match }) =>
      (verdict !== undefined || challenge === 'never') &&
      allMatchesOf(match).some(({ path: paths = [] }) =>
        paths.some((pattern) => compilePattern(pattern)(path)),
      ),
  );
}

/** Whether the rules challenge also a visitor without findings. */
function challengesAnyVisitor(
  { verdict, detect, challenge }: Rule,
  organisation: Organisation,
): boolean {
  if (verdict !== undefined || challenge === 'never') return false;
  if (challenge === 'always') return true;
  const isAuto = challenge === 'auto' || detect === true;
  return isAuto && organisation.challenge.free_pages !== false;
}

/**
 * Warns of an organisation whose backends ask POST /validate and that lists no pages. The collector then refuses
 * uploads from the pages of this organisation, so its visitors cannot pass a challenge.
 */
export function unlistedPages(
  { id, secret_keys: keys, script_origins: origins }: Organisation,
  index: number,
  { listen, sites }: Settings,
): Remark[] {
  const hasPages = origins.length > 0 || sites.some(({ organisation }) => organisation === id);
  if (keys.length === 0 || listen.collector === undefined || hasPages) return [];
  const message = `no page of organisation ${id} may upload to the collector, so no visitor passes a challenge: list where its pages are in script_origins`;
  return [warning(['organisations', index], message)];
}
