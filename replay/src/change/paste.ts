import type { Pattern } from '@guard/config/matching/glob';
import type { Match } from '@guard/config/settings/sections/rule';
import { linesOf, ruleLine } from '@guard/config/settings/derived/rule-lines';
import type { Organisation } from '@guard/config/settings/schema';
import { Scalar, stringify } from 'yaml';
import { allowRule } from './candidate.ts';
import { readChange, type ReplayChange } from './change.ts';

export interface Paste {
  readonly yaml: string;
  /** A sentence that says where to put the text in guard.yaml. */
  readonly where: string;
}

type Proposal =
  | ({ readonly kind: 'proposed' } & Paste)
  /** guard.yaml cannot express this change. `message` is a complete sentence. */
  | { readonly kind: 'refused'; readonly message: string };

/** Parses a change, and returns the result of `pasteOf`. */
export function proposeChange(
  change: unknown,
  organisation: Pick<Organisation, 'id' | 'rules'>,
): Proposal {
  const reading = readChange(change, undefined, organisation);
  return reading.kind === 'read'
    ? { kind: 'proposed', ...pasteOf(reading.change, organisation) }
    : reading;
}

/** Returns the text for guard.yaml that makes the change, and a sentence about its place. */
export function pasteOf(
  change: ReplayChange,
  { id, rules }: Pick<Organisation, 'id' | 'rules'>,
): Paste {
  switch (change.kind) {
    case 'allow': {
      const { name, match, verdict } = allowRule(change.match, rules);
      const yaml = toYaml([{ name: quotedScalar(name), match: conditionsOf(match), verdict }]);
      return { yaml, where: placeOfNewRule(id, rules) };
    }
    case 'reason':
      return {
        yaml: toYaml({ detection: { reasons: { [change.reason]: change.strength } } }),
        where: `Put it into organisation ${id} of guard.yaml. If detection: or reasons: is there already, add only the lines below it.`,
      };
    case 'without_rule': {
      const namedRules = rules.filter(({ name }) => name === change.rule);
      const line = lineText(namedRules[0] && ruleLine(namedRules[0], rules));
      const number = namedRules.length;
      const rulesText = number > 1 ? `the ${number} rules of this name` : 'the rule of this name';
      return {
        yaml: toYaml([{ name: quotedScalar(change.rule) }]),
        where: `Remove ${rulesText} under rules: of organisation ${id}${line} of guard.yaml.`,
      };
    }
  }
}

/**
 * Returns the conditions of a rule from allowRule. Each condition has a single value, and `session` is never
 * `verified`.
 */
function conditionsOf({ session, ip, path, user_agent }: Match) {
  return {
    ...(Array.isArray(session) && { session: quotedScalar(session.join()) }),
    ...(ip && { ip: quotedScalar(ip.join()) }),
    ...(path && { path: patternText(path[0] ?? '') }),
    ...(user_agent && { user_agent: patternText(user_agent[0] ?? '') }),
  };
}

/** A text such as `, line 12`. Empty when the rules come from no file. */
function lineText(line: number | undefined): string {
  return line === undefined ? '' : `, line ${line}`;
}

function placeOfNewRule(id: string, rules: Organisation['rules']): string {
  const place = `under rules: of organisation ${id}${lineText(linesOf(rules)?.list)} of guard.yaml.`;
  return rules.length > 0
    ? `Put it first ${place}`
    : `Put it ${place} The organisation has no rule yet.`;
}

function patternText(pattern: Pattern): unknown {
  return typeof pattern === 'string'
    ? quotedScalar(pattern)
    : { regex: quotedScalar(pattern.regex) };
}

/** Long texts are not folded onto several lines. */
const STYLE = { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER } as const;

/**
 * Returns a text in quotes, which YAML reads unchanged. `${` becomes `$${`, because Guard replaces `${NAME}` in
 * guard.yaml and reads `$${` as `${`.
 */
function quotedScalar(value: string): Scalar {
  const scalar = new Scalar(value.replaceAll('${', () => '$${'));
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}

/**
 * Writes YAML in ASCII only. Other characters can hide content: some change the text direction, and some look like
 * other characters.
 */
function toYaml(value: unknown): string {
  // Characters outside ASCII occur only in quoted texts, and YAML reads \u inside quotes.
  return stringify(value, STYLE).replaceAll(/[^\n\x20-\x7e]/gu, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
  });
}
