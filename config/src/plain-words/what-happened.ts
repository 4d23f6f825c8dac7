import { ALLOWLIST_RULE } from '../contract/allowlist-rule.ts';
import { temporaryDecisionOf } from '../contract/temporary-rule.ts';
import type { Knowledge } from './facts.ts';
import { isUnanswered, type WholeEvent } from './whole-event.ts';

export function sentenceOf(
  event: WholeEvent,
  { rules, thresholds }: Pick<Knowledge, 'rules' | 'thresholds'>,
): string {
  const isBlocking = rules.some(({ name, does }) => name === event.rule && /^block\b/.test(does));
  const points = event.findings.reduce((sum, finding) => sum + finding.points, 0);
  const actionText = ACTION_TEXTS[event.action] ?? `was answered with ${event.action}`;
  const withoutModeText =
    event.decision === event.action || event.decision === 'none'
      ? ''
      : ` By itself Guard would have decided: ${event.decision}. ${event.yes('observe') ? 'It enforced nothing at that time (observe).' : 'A rule in monitor mode kept it from that.'}`;
  const unansweredText = isUnanswered(event)
    ? ` The site itself gave no answer, so the visitor got ${event.text('status_code')}.`
    : '';
  return `The request ${actionText}, ${becauseOf({ ...event, isBlocking }, points, thresholds)}.${withoutModeText}${unansweredText}`;
}

const ACTION_TEXTS: Readonly<Partial<Record<string, string>>> = {
  allow: 'was allowed',
  block: 'was blocked',
  challenge: 'was answered with the challenge page',
  limited: 'was refused for a while',
};

function becauseOf(
  {
    action,
    decision,
    rule,
    reasons,
    isBlocking,
  }: Pick<WholeEvent, 'action' | 'decision' | 'rule' | 'reasons'> & {
    readonly isBlocking: boolean;
  },
  points: number,
  { ask, reject }: Knowledge['thresholds'],
): string {
  if (decision === 'none') return 'because the validator gave no answer';
  // A rule that blocks a crawler gives the reason crawler_blocked, like the allowlist.
  if (decision === 'block' && (isBlocking || reasons.includes('policy_block')) && rule !== '')
    return `because the rule “${rule}” blocks it`;
  if (action === 'limited' && rule !== '')
    return `because the budget of the rule “${rule}” was used up`;
  if (points >= ask) {
    return `because the findings add up to ${pointsText(points)}; a visitor is challenged from ${ask} points, and rejected from ${reject}`;
  }
  if (reasons.length > 0) return `because of ${reasons.join(', ')}`;
  return points === 0
    ? 'and nothing speaks against it'
    : `and the findings add up to ${points}, below ${ask}`;
}

export function pointsText(points: number): string {
  return `${points} ${points === 1 ? 'point' : 'points'}`;
}

/** The text after the name of the deciding rule: its directives, and its line in guard.yaml. */
export function ruleText(name: string, { rules }: Pick<Knowledge, 'rules'>): string {
  const rule = rules.find((candidate) => candidate.name === name);
  if (rule === undefined) return `: ${unlistedRuleText(name)}.`;
  const { does, line, preset } = rule;
  const lineText = line === null ? '' : `. Line ${line} of guard.yaml`;
  return `: ${does}${lineText}${preset ? ', from a preset' : ''}.`;
}

export function unlistedRuleText(name: string): string {
  if (temporaryDecisionOf(name) !== undefined) {
    return 'a person decided so for a while; guard decisions shows who, and why';
  }
  if (name === ALLOWLIST_RULE) return 'allow, for verified crawlers of crawler_allowlist';
  return 'not in the current settings';
}

/** A finding against the visitor. Findings are sorted by points, highest first. */
export interface ListedFinding {
  readonly name: string;
  /** The points of the finding. Undefined for a reason without points, such as the reason of a rule. */
  readonly points: number | undefined;
  /** Whether the finding counted. False for a finding that did not change the result. */
  readonly counted: boolean;
}

export function foundIn({ findings, reasons }: WholeEvent): ListedFinding[] {
  const points = new Map(findings.map((finding) => [finding.name, finding.points]));
  return [...new Set([...points.keys(), ...reasons])].map((name) => ({
    name,
    points: points.get(name),
    counted: reasons.includes(name),
  }));
}

export const UNKNOWN_REASON = 'This version of Guard does not know it.';
