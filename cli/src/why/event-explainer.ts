import { adviceOf, falsePositivesOf } from '@guard/config/plain-words/advice';
import type { Knowledge } from '@guard/config/plain-words/facts';
import { knowledgeOf } from '@guard/config/plain-words/knowledge';
import { whyNoLetIn, letInOptions } from '@guard/config/plain-words/let-in';
import {
  type ListedFinding,
  foundIn,
  ruleText,
  sentenceOf,
  UNKNOWN_REASON,
} from '@guard/config/plain-words/what-happened';
import type { WholeEvent } from '@guard/config/plain-words/whole-event';
import { settingsRevision } from '@guard/config/settings/derived/revision';
import { Organisation, type Settings } from '@guard/config/settings/schema';
import { proposeChange } from '@guard/replay/paste';

/** The object that `guard why --json` prints for one event. */
export interface ExplainedEvent {
  /** The time of the event in ISO 8601. */
  readonly time: string;
  readonly request_id: string;
  readonly reference: string;
  readonly action: string;
  readonly what_happened: string;
  readonly request: string;
  readonly address: string;
  readonly user_agent: string;
  readonly session: string;
  readonly found: readonly (ListedFinding & { readonly meaning: string })[];
  readonly rule: {
    readonly name: string;
    readonly line: number | null;
    /** The directives and the line of the rule, as text that follows the rule's name. Empty without settings. */
    readonly directives_text: string;
    readonly monitor: boolean;
  } | null;
  /** Whether the event was decided with the current settings. Null without settings. */
  readonly same_settings: boolean | null;
  readonly false_positives: readonly { readonly name: string; readonly who: string }[];
  readonly advice: readonly string[];
  readonly let_in: readonly LetInWay[];
  /**
   * Why no rule that allows lets this visitor in: a rate limit, or a temporary decision. Empty when such a rule can let
   * the visitor in.
   */
  readonly why_no_let_in: string;
}

export interface LetInWay {
  readonly kind: string;
  /** A phrase for the visitors. It stands before `value`. */
  readonly visitors: string;
  /** The session, address, network, agent or reason that is let in. */
  readonly value: string;
  /** Empty when only `command` lets the visitor in. */
  readonly yaml: string;
  /** A sentence that says where to put `yaml`. Empty with it. */
  readonly where: string;
  /** A command that lets the visitor in for a day. Empty when there is no such command. */
  readonly command: string;
}

/** Explains events with the settings. Without settings, `rule.line` is null and `let_in` is empty. */
export function createEventExplainer(
  settings: Settings | undefined,
): (event: WholeEvent) => ExplainedEvent {
  const revision = settings && settingsRevision(settings);
  return (event) => {
    const id = event.text('organisation');
    const organisation = settings?.organisations.find((candidate) => candidate.id === id);
    const { sites = [] } = settings ?? {};
    const knowledge = knowledgeOf(
      { organisations: [organisation ?? NO_ORGANISATION], sites },
      organisation?.id ?? NO_ORGANISATION.id,
    );
    if (knowledge === undefined) throw new Error(`the organisation ${id} is not in its own list`);
    return {
      time: new Date(event.atMs).toISOString(),
      request_id: event.requestId,
      reference: event.text('reference'),
      action: event.action,
      what_happened: sentenceOf(event, knowledge),
      request: requestOf(event),
      address: event.ip,
      user_agent: event.userAgent,
      session: event.session,
      found: foundIn(event).map((finding) => ({
        ...finding,
        meaning: knowledge.reasons[finding.name]?.meaning ?? UNKNOWN_REASON,
      })),
      rule: ruleOf(event, organisation && knowledge),
      same_settings: revision === undefined ? null : event.text('settings_revision') === revision,
      false_positives: falsePositivesOf(event, knowledge.reasons),
      advice: adviceOf(event, knowledge.reasons),
      let_in:
        organisation === undefined || event.action === 'allow' ? [] : letInOf(event, organisation),
      why_no_let_in: whyNoLetIn(event),
    };
  };
}

/**
 * Used when there are no settings, or when they do not have the event's organisation. All reasons then have their
 * default strengths.
 */
const NO_ORGANISATION: Organisation = Organisation.parse({ id: 'unknown' });

function requestOf(event: WholeEvent): string {
  const query = event.text('query');
  const url = `${event.text('scheme')}://${event.text('host')}${event.path}`;
  return `${event.text('method')} ${url}${query === '' ? '' : `?${query}`}`;
}

function ruleOf(event: WholeEvent, knowledge: Knowledge | undefined): ExplainedEvent['rule'] {
  const { rule: name } = event;
  if (name === '') return null;
  return {
    name,
    line: knowledge?.rules.find((rule) => rule.name === name)?.line ?? null,
    directives_text: knowledge === undefined ? '' : ruleText(name, knowledge),
    monitor: event.yes('monitor'),
  };
}

function letInOf(event: WholeEvent, organisation: Organisation): LetInWay[] {
  return letInOptions(event).flatMap(({ kind, visitors, value, change, command }) => {
    if (change === undefined) return [{ kind, visitors, value, yaml: '', where: '', command }];
    const proposal = proposeChange(change, organisation);
    // An example of a refused change is a User-Agent that is longer than a rule allows.
    if (proposal.kind === 'refused') return [];
    const { yaml, where } = proposal;
    return [{ kind, visitors, value, yaml, where, command }];
  });
}
