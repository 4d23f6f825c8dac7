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
const EVERY_MS = 1_000;
/** Log lines for the changes of one read. Further changes share one line. */
const MOST_LINES = 20;

interface Watched {
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
 * visitors stay blocked after a restart. While the list cannot be read, the last one is used.
 */
export async function watchDecisions(watched: Watched): Promise<WatchedDecisions> {
  const { read, rules, clock, log } = watched;
  let listed: readonly TemporaryDecision[] = [];
  let current = listed;
  let failure = '';

  const look = async (): Promise<readonly TemporaryDecision[]> => {
    const answer = await read();
    const reason = answer.kind === 'failed' ? answer.reason : '';
    if (reason !== failure && reason !== '') log('error', 'temporary_decisions_unread', { reason });
    failure = reason;
    // Decisions that have ended are kept too. The clock may have jumped ahead, and the list is read again only after a
    // change.
    if (answer.kind === 'read') listed = answer.decisions;
    return listed.filter(({ until }) => until > clock());
  };
  const take = (next: readonly TemporaryDecision[]): void => {
    current = next;
    rules.replace(next);
  };
  const watch = async (): Promise<number> => {
    const next = await look();
    // The ids are enough for the comparison, because no id is used twice.
    if (next.length !== current.length || next.some(({ id }, at) => id !== current[at]?.id)) {
      logChanges(current, next, log);
      take(next);
    }
    return EVERY_MS;
  };

  take(await look());
  if (current.length > 0) log('info', 'temporary_decisions_read', { count: current.length });
  return {
    count: () => current.length,
    close: repeat(EVERY_MS, watch),
  };
}

/** Logs every change that `guard block` or `guard allow` made. */
function logChanges(
  before: readonly TemporaryDecision[],
  after: readonly TemporaryDecision[],
  log: Log,
): void {
  const added = after.filter(({ id }) => !before.some((one) => one.id === id));
  const ended = before.filter(({ id }) => !after.some((one) => one.id === id));
  if (added.length + ended.length > MOST_LINES) {
    log('info', 'temporary_decisions_changed', { added: added.length, ended: ended.length });
    return;
  }
  for (const { id, organisation, verdict, target, because, by, until } of added) {
    const ends = new Date(until).toISOString();
    const about = { id, organisation, verdict, target: targetText(target), until: ends };
    log('info', 'temporary_decision_made', { ...about, by, because });
  }
  for (const { id, organisation } of ended) {
    log('info', 'temporary_decision_ended', { id, organisation });
  }
}

export interface OpenDecisions extends WatchedDecisions {
  readonly rules: TemporaryRules;
}

/** The temporary decisions for these settings. Resolves after the first read. */
export async function openDecisions(
  settings: Settings,
  redis: SharedTextOptions['redis'],
  ports: { readonly clock: Clock; readonly log: Log },
): Promise<OpenDecisions> {
  const rules = new TemporaryRules(ports.clock);
  const read = createReadDecisions(decisionsPlace(settings), redis);
  return { ...(await watchDecisions({ ...ports, read, rules })), rules };
}
