import type { Match, Rule } from '@guard/config/settings/sections/rule';
import type { Organisation, Settings } from '@guard/config/settings/schema';
import { hasWildcard, type ReplayChange } from './change.ts';

/** The settings with only one organisation and its sites. */
export function settingsOfOrganisation(settings: Settings, id: string): Settings {
  return {
    ...settings,
    organisations: settings.organisations.filter((organisation) => organisation.id === id),
    sites: settings.sites.filter(({ organisation }) => organisation === id),
  };
}

/** Returns the settings after the change was made in each organisation. */
export function changedSettings(settings: Settings, change: ReplayChange): Settings {
  const organisations = settings.organisations.map((organisation) =>
    changeOrganisation(organisation, change),
  );
  return { ...settings, organisations };
}

function changeOrganisation(organisation: Organisation, change: ReplayChange): Organisation {
  const { rules, detection } = organisation;
  switch (change.kind) {
    case 'allow':
      return { ...organisation, rules: [allowRule(change.match, rules), ...rules] };
    case 'reason': {
      const reasons = { ...detection.reasons, [change.reason]: change.strength };
      return { ...organisation, detection: { ...detection, reasons } };
    }
    case 'without_rule':
      return { ...organisation, rules: rules.filter(({ name }) => name !== change.rule) };
  }
}

type Visitors = Extract<ReplayChange, { kind: 'allow' }>['match'];

/** Returns a rule that allows these visitors. Its name is not yet in `rules`. */
export function allowRule(visitors: Visitors, rules: readonly Pick<Rule, 'name'>[]): Rule {
  const { session, ip, user_agent, path } = visitors;
  const match: Match = {
    ...(session !== undefined && { session: [session] }),
    ...(ip !== undefined && { ip: [ip] }),
    ...(path !== undefined && { path: [path] }),
    ...(user_agent !== undefined && { user_agent: [exactPattern(user_agent)] }),
  };
  return { name: freeName(nameOf(visitors), rules), match, verdict: 'allow' };
}

function exactPattern(text: string): string | { readonly regex: string } {
  const isPlain = text !== '' && !hasWildcard(text);
  return isPlain ? text : { regex: `^${text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&')}$` };
}

/** The name is stored in each event that the rule decides, so only short and simple texts are used. */
function nameOf({ session, ip, user_agent, path }: Visitors): string {
  const parts = [
    ...(session === undefined ? [] : [`session ${session.slice(0, 8)}`]),
    ...(ip === undefined ? [] : [`address ${ip}`]),
    ...(user_agent === undefined ? [] : ['one User-Agent']),
    ...(path === undefined ? [] : ['one path']),
  ];
  return `let in: ${parts.join(', ')}`;
}

function freeName(name: string, rules: readonly Pick<Rule, 'name'>[]): string {
  const takenNames = new Set(rules.map((rule) => rule.name));
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name} (${number})`;
    if (!takenNames.has(candidate)) return candidate;
  }
}
