import { adviceOf, falsePositivesOf } from '@guard/config/plain-words/advice';
import type { Knowledge } from '@guard/config/plain-words/facts';
import { knowledgeOf } from '@guard/config/plain-words/knowledge';
import { letInLimit, letInOptions } from '@guard/config/plain-words/let-in';
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

/** Printed by --json. */
export interface ExplainedEvent {
  /** ISO 8601. */
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
    /** The text that follows its name in a sentence. Empty without settings. */
    readonly words: string;
    readonly monitor: boolean;
  } | null;
  /** Null without settings. */
  readonly same_settings: boolean | null;
  readonly others: readonly { readonly name: string; readonly words: string }[];
  readonly advice: readonly string[];
  readonly let_in: readonly LetIn[];
  /** A limit that no `let_in` option can lift. Empty when there is none. */
  readonly let_in_limit: string;
}

export interface LetIn {
  readonly kind: string;
  readonly words: string;
  readonly value: string;
  readonly yaml: string;
  /** Where to put it, as a sentence. */
  readonly where: string;
  /** A command with the same effect for a day. Empty when there is none. */
  readonly command: string;
}

/** Explains events with the settings. Without settings there are no lines and no changes of guard.yaml. */
export function createTellEvent(
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
    if (knowledge === undefined) throw new Error('an organisation without facts');
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
      others: falsePositivesOf(event, knowledge.reasons),
      advice: adviceOf(event, knowledge.reasons),
      let_in:
        organisation === undefined || event.action === 'allow' ? [] : letInOf(event, organisation),
      let_in_limit: letInLimit(event),
    };
  };
}

/** Used when there are no settings: reasons have their default strengths. */
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
    words: knowledge === undefined ? '' : ruleText(name, knowledge),
    monitor: event.yes('monitor'),
  };
}

function letInOf(event: WholeEvent, organisation: Organisation): LetIn[] {
  return letInOptions(event).flatMap(({ kind, words, value, change, command }) => {
    const proposal = proposeChange(change, organisation);
    // For example, a User-Agent that is longer than a rule allows.
    if (proposal.kind === 'refused') return [];
    const { yaml, where } = proposal;
    return [{ kind, words, value, yaml, where, command }];
  });
}
