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

/** Time between two looks. A decision reaches each instance after this time at most. */
const EVERY_MS = 1_000;
/** At most this many decisions of one look have a log line each. More decisions share one line. */
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
 * Keeps the temporary decisions as people change them, and writes each change to the log. Resolves after the first
 * look, so that a restart lets in no visitor who is blocked. While the list cannot be read, the last one holds.
 */
export async function watchDecisions(watched: Watched): Promise<WatchedDecisions> {
  const { read, rules, clock, log } = watched;
  let listed: readonly TemporaryDecision[] = [];
  let standing = listed;
  let failure = '';

  const look = async (): Promise<readonly TemporaryDecision[]> => {
    const answer = await read();
    const reason = answer.kind === 'failed' ? answer.reason : '';
    if (reason !== failure && reason !== '') log('error', 'temporary_decisions_unread', { reason });
    failure = reason;
    // All of them are kept: a clock that jumped ahead may come back, and the list is not read again.
    if (answer.kind === 'read') listed = answer.decisions;
    return listed.filter(({ until }) => until > clock());
  };
  const take = (next: readonly TemporaryDecision[]): void => {
    standing = next;
    rules.replace(next);
  };
  const watch = async (): Promise<number> => {
    const next = await look();
    // The list grew, shrank, or changed: ids are never used twice.
    if (next.length !== standing.length || next.some(({ id }, at) => id !== standing[at]?.id)) {
      logChanges(standing, next, log);
      take(next);
    }
    return EVERY_MS;
  };

  take(await look());
  if (standing.length > 0) log('info', 'temporary_decisions_read', { count: standing.length });
  return {
    count: () => standing.length,
    close: repeat(EVERY_MS, watch),
  };
}

/** The audit of `guard block` and `guard allow`. */
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

/** The temporary decisions of these settings, kept as people change them. Resolves after the first look. */
export async function openDecisions(
  settings: Settings,
  redis: SharedTextOptions['redis'],
  ports: { readonly clock: Clock; readonly log: Log },
): Promise<OpenDecisions> {
  const rules = new TemporaryRules(ports.clock);
  const read = createReadDecisions(decisionsPlace(settings), redis);
  return { ...(await watchDecisions({ ...ports, read, rules })), rules };
}
