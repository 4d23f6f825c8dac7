import type { Clock, Log } from '@guard/config/contract/ports';
import {
  targetText,
  type TemporaryDecision,
} from '@guard/config/settings/derived/temporary-decision';
import { TemporaryRules } from '@guard/validator';
import type { Close } from '../process/process-context.ts';
import { type ReadDecisions, createReadDecisions } from './read-decisions.ts';
import { decisionsPlace } from '@guard/config/settings/derived/data-places';
import type { Settings } from '@guard/config/settings/schema';
import type { SharedTextOptions } from '../store/shared-text.ts';
import { repeat } from '../process/repeat.ts';

/** Time between two reads. Each instance gets a new decision within this time. */
const READ_EVERY_MS = 1_000;
/** The maximum number of log lines for the changes of one read. One more line reports all further changes. */
const MAX_LINES = 20;

interface WatchOptions {
  readonly read: ReadDecisions;
  readonly rules: TemporaryRules;
  readonly clock: Clock;
  readonly log: Log;
}

interface WatchedDecisions {
  /** The number of current decisions. */
  readonly count: () => number;
  readonly close: Close;
}

/**
 * Keeps the list of temporary decisions current, and logs each change. Resolves after the first read, so that blocked
 * visitors stay blocked after a restart. While the list cannot be read, the last list is used.
 */
export async function watchDecisions(options: WatchOptions): Promise<WatchedDecisions> {
  const { read, rules, clock, log } = options;
  let storedDecisions: readonly TemporaryDecision[] = [];
  let currentDecisions = storedDecisions;
  let failure = '';

  const readOnce = async (): Promise<readonly TemporaryDecision[]> => {
    const answer = await read();
    const reason = answer.kind === 'failed' ? answer.reason : '';
    if (reason !== failure && reason !== '') log('error', 'temporary_decisions_unread', { reason });
    failure = reason;
    // Decisions that have ended are kept too, because the clock can have jumped ahead, and a list that has not changed
    // is not read again.
    if (answer.kind === 'read') storedDecisions = answer.decisions;
    return storedDecisions.filter(({ until }) => until > clock());
  };
  const replaceAll = (nextDecisions: readonly TemporaryDecision[]): void => {
    currentDecisions = nextDecisions;
    rules.replace(nextDecisions);
  };
  const watchOnce = async (): Promise<number> => {
    const nextDecisions = await readOnce();
    // It is enough to compare the ids, because no id is used twice.
    if (
      nextDecisions.length !== currentDecisions.length ||
      nextDecisions.some(({ id }, at) => id !== currentDecisions[at]?.id)
    ) {
      logChanges(currentDecisions, nextDecisions, log);
      replaceAll(nextDecisions);
    }
    return READ_EVERY_MS;
  };

  replaceAll(await readOnce());
  if (currentDecisions.length > 0)
    log('info', 'temporary_decisions_read', { count: currentDecisions.length });
  return {
    count: () => currentDecisions.length,
    close: repeat(READ_EVERY_MS, watchOnce),
  };
}

function logChanges(
  before: readonly TemporaryDecision[],
  after: readonly TemporaryDecision[],
  log: Log,
): void {
  const newDecisions = after.filter(({ id }) => !before.some((decision) => decision.id === id));
  const endedDecisions = before.filter(({ id }) => !after.some((decision) => decision.id === id));
  if (newDecisions.length + endedDecisions.length > MAX_LINES) {
    const counts = { added: newDecisions.length, ended: endedDecisions.length };
    log('info', 'temporary_decisions_changed', counts);
    return;
  }
  for (const { id, organisation, verdict, target, because, by, until } of newDecisions) {
    const endTime = new Date(until).toISOString();
    const logFields = { id, organisation, verdict, target: targetText(target), until: endTime };
    log('info', 'temporary_decision_made', { ...logFields, by, because });
  }
  for (const { id, organisation } of endedDecisions) {
    log('info', 'temporary_decision_ended', { id, organisation });
  }
}

export interface OpenDecisions extends WatchedDecisions {
  readonly rules: TemporaryRules;
}

/** Opens the list of temporary decisions. Resolves after the first read. */
export async function openDecisions(
  settings: Settings,
  redis: SharedTextOptions['redis'],
  ports: { readonly clock: Clock; readonly log: Log },
): Promise<OpenDecisions> {
  const rules = new TemporaryRules(ports.clock);
  const read = createReadDecisions(decisionsPlace(settings), redis);
  return { ...(await watchDecisions({ ...ports, read, rules })), rules };
}
