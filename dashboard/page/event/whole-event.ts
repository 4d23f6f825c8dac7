import type { Me } from '../../page-contract/me.ts';
import { type Answer, entries, num, type Row, text, texts } from '../data/query.ts';

/** One event with all its columns. */
export interface WholeEvent {
  readonly atMs: number;
  readonly requestId: string;
  readonly ip: string;
  readonly userAgent: string;
  /** The session that came, or the one that the visitor got. */
  readonly session: string;
  readonly path: string;
  readonly action: string;
  readonly decision: string;
  readonly rule: string;
  readonly reasons: readonly string[];
  /** Points of each finding, the most first. */
  readonly findings: readonly { readonly name: string; readonly points: number }[];
  readonly headers: readonly (readonly [string, string])[];
  readonly text: (column: string) => string;
  readonly yes: (column: string) => boolean;
}

export function wholeEvent({ columns }: Answer, row: Row): WholeEvent {
  const cell = (column: string): unknown => row[columns.indexOf(column)];
  const read = (column: string): string => text(cell(column));
  const findings = entries(cell('findings')).map(([name, points]) => ({
    name,
    points: num(points),
  }));
  return {
    atMs: num(cell('created_at_ms')),
    requestId: read('request_id'),
    ip: read('ip'),
    userAgent: read('user_agent'),
    session: read('session_sent') === '' ? read('session') : read('session_sent'),
    path: read('path'),
    action: read('action'),
    decision: read('decision'),
    rule: read('rule'),
    reasons: texts(cell('block_reasons')),
    findings: findings.sort((a, b) => b.points - a.points || a.name.localeCompare(b.name)),
    headers: entries(cell('headers')).sort(([a], [b]) => a.localeCompare(b)),
    text: read,
    yes: (column) => cell(column) === true || num(cell(column)) === 1,
  };
}

/** What happened, in a sentence. */
export function sentenceOf(
  event: WholeEvent,
  { rules, thresholds }: Pick<Me, 'rules' | 'thresholds'>,
): string {
  const isBlocking = rules.some(({ name, does }) => name === event.rule && /^block\b/.test(does));
  const points = event.findings.reduce((sum, finding) => sum + finding.points, 0);
  const did = DID[event.action] ?? `was answered with ${event.action}`;
  const would =
    event.decision === event.action || event.decision === 'none'
      ? ''
      : ` By itself Guard would have decided: ${event.decision}. ${event.yes('observe') ? 'It enforced nothing at that time (observe).' : 'A rule in monitor mode kept it from that.'}`;
  return `The request ${did}, ${becauseOf({ ...event, isBlocking }, points, thresholds)}.${would}`;
}

const DID: Readonly<Partial<Record<string, string>>> = {
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
  { ask, reject }: { readonly ask: number; readonly reject: number },
): string {
  if (decision === 'none') return 'because the validator gave no answer';
  // A rule that blocks a crawler gives the reason crawler_blocked, as the allowlist does.
  if (decision === 'block' && (isBlocking || reasons.includes('policy_block')) && rule !== '')
    return `because the rule “${rule}” blocks it`;
  if (action === 'limited' && rule !== '')
    return `because the budget of the rule “${rule}” was used up`;
  if (points >= ask) {
    return `because what was found comes to ${points} ${points === 1 ? 'point' : 'points'}; from ${ask} on a visitor is asked, from ${reject} on rejected`;
  }
  if (reasons.length > 0) return `because of ${reasons.join(', ')}`;
  return points === 0
    ? 'and nothing speaks against it'
    : `and what was found comes to ${points}, below ${ask}`;
}
