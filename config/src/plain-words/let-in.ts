import { temporaryDecisionOf } from '../contract/temporary-rule.ts';
import { siteNetworkOf } from '../net/network-of.ts';
import { PRESET_PREFIX } from '../settings/sections/preset-names.ts';
import type { WholeEvent } from './whole-event.ts';

/** A change of the settings, in the form that replay/src/change/change.ts reads. */
export type LetInChange =
  | { readonly kind: 'allow'; readonly match: Visitors }
  | { readonly kind: 'reason'; readonly reason: string; readonly strength: 'note' };

interface Visitors {
  readonly session?: string;
  readonly ip?: string;
  readonly user_agent?: string;
}

interface LetInOption {
  readonly kind: 'session' | 'address' | 'network' | 'agent' | 'reason';
  /** A phrase for the visitors that the option lets in. It stands before `value`. */
  readonly visitors: string;
  readonly value: string;
  /** Undefined when the budget of a rule is used up. No rule that allows lifts it, so only `command` helps. */
  readonly change: LetInChange | undefined;
  /** The command that lets these visitors in for a day, without a change of guard.yaml. Empty if there is none. */
  readonly command: string;
}

/** Reasons of rules. If a rule decided, the strength of findings does not matter. */
const RULE_REASONS = ['policy_block', 'crawler_blocked', 'rate_limit_exceeded'];

/** The ways to let the visitor in. The narrowest reliable way comes first. */
export function letInOptions(event: WholeEvent): LetInOption[] {
  const options: LetInOption[] = [];
  // A temporary decision comes before all rules, so no rule can let the visitor in.
  if (temporaryDecisionOf(event.rule) !== undefined) return options;
  const isLimited = isOverBudget(event);
  const addOption = (
    kind: LetInOption['kind'],
    visitors: string,
    value: string,
    match: Visitors,
  ): void => {
    const change = isLimited ? undefined : ({ kind: 'allow', match } as const);
    const command = kind === 'agent' ? '' : allowCommand(value, event.text('organisation'));
    if (value === '' || (isLimited && command === '')) return;
    options.push({ kind, visitors, value, change, command });
  };
  const hasSentSession = event.text('session_sent') !== '';
  const addSession = (): void => {
    addOption('session', 'This session', event.session, { session: event.session });
  };
  if (hasSentSession) addSession();
  addOption('address', 'This address', event.ip, { ip: event.ip });
  const network = networkAround(event.ip);
  addOption('network', 'This network', network, { ip: network });
  addOption('agent', 'Everybody with this agent', event.userAgent, { user_agent: event.userAgent });
  // A visitor who sent no session may never send a session. So a rule for the session is then not the first option.
  if (!hasSentSession) addSession();
  const isRuled = RULE_REASONS.some((reason) => event.reasons.includes(reason));
  const weighedFindings = isRuled ? [] : event.findings.filter(({ points }) => points > 0);
  for (const { name } of weighedFindings) {
    options.push({
      kind: 'reason',
      visitors: 'Everybody, by making this reason a note that weighs nothing:',
      value: name,
      change: { kind: 'reason', reason: name, strength: 'note' },
      command: '',
    });
  }
  return options;
}

/** Why no rule that allows lets this visitor in, and what does. Empty when such a rule can let the visitor in. */
export function whyNoLetIn(event: WholeEvent): string {
  const { rule, ip } = event;
  const temporaryId = temporaryDecisionOf(rule);
  if (temporaryId !== undefined) {
    return `No rule lets this visitor in: the temporary decision ${temporaryId} stands before all rules. End it with: guard decisions end ${temporaryId}`;
  }
  if (!isOverBudget(event)) return '';
  const remedy = rule.startsWith(PRESET_PREFIX)
    ? 'A rule of your own with the same paths and a larger rate_limit replaces it.'
    : `Raise its rate_limit, or add not: { ip: ${ip.includes(':') ? `"${ip}"` : ip} } to its match.`;
  return `No rule that allows lifts the budget of the rule “${rule}”. ${remedy}`;
}

function isOverBudget({ reasons }: WholeEvent): boolean {
  return reasons.includes('rate_limit_exceeded');
}

/** Addresses, networks, digests and identifiers need no quotes. */
function allowCommand(value: string, organisation: string): string {
  return `guard allow ${value} --for 1d --because 'let in by the support' --organisation ${organisation}`;
}

function networkAround(ip: string): string {
  return ip === '' ? '' : siteNetworkOf(ip);
}
