import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CrowdsecChanges } from '@guard/config/contract/crowdsec';
import { readJson } from '@guard/config/contract/json';
import { dataFolder } from '@guard/config/settings/derived/data-places';
import type { CrowdsecSettings, Settings } from '@guard/config/settings/schema';
import { z } from 'zod';
import type { Close, ProcessContext } from '../process/process-context.ts';
import { keepFile } from '../process/keep-file.ts';
import { HeldDecisions, type CrowdsecAnswer, type TypedDecision } from './held-decisions.ts';
import { askCrowdsec } from './local-api.ts';
import { subjectOf } from './read-answer.ts';
import { openUsageReport, type ReportUsage } from './report-usage.ts';
import { repeat } from '../process/repeat.ts';

/** The copy of the list that an earlier run wrote. */
const KeptDecisions = z.object({
  url: z.string(),
  readAt: z.number(),
  decisions: z.array(
    z.object({
      type: z.string(),
      scope: z.enum(['network', 'asn', 'country']),
      value: z.string(),
      until: z.number(),
    }),
  ),
});

/** Further decisions are dropped and logged. This many take 16 MB in each thread, and 26 MB more in the main one. */
const MAX_DECISIONS = 100_000;
/** The least time between two writes of the copy. */
const KEEP_EVERY_MS = 60_000;
/** Wall clock and monotonic clock normally differ by microseconds. A larger difference means that a clock was set. */
const CLOCK_SET_MS = 1_000;
/** Time between two checks of the settings while they name no CrowdSec. */
const IDLE_MS = 1_000;

export interface CrowdsecWatch extends ProcessContext {
  readonly settings: () => Settings;
  /** Milliseconds of a monotonic clock. A change of the system's time does not move it. */
  readonly elapsed: () => number;
  /** Gets all changes in order. */
  readonly take: (changes: CrowdsecChanges) => void;
}

export interface WatchedCrowdsec {
  /** All decisions, for a new thread. */
  readonly all: () => CrowdsecChanges;
  readonly close: Close;
}

/**
 * Asks CrowdSec for changes, as a bouncer does. CrowdSec sends each change once, so after a lost answer Guard asks for
 * the whole list. While CrowdSec is away, the last list stays in use, and each decision ends at its own time. A copy in
 * the data folder serves a start without CrowdSec. Resolves after the copy was read.
 */
export async function watchCrowdsec(watch: CrowdsecWatch): Promise<WatchedCrowdsec> {
  const { settings, take, clock, elapsed, log, metrics } = watch;
  const held = new HeldDecisions(MAX_DECISIONS);
  /** The URL of the CrowdSec that sent the decisions. Undefined when the settings name none. */
  let url: string | undefined;
  let readAt = clock();
  let keptAt = 0;
  let isKept = true;
  let reason: string | undefined;
  let reportUsage: ReportUsage;
  let clockZero = clock() - elapsed();

  const apply = (changes: CrowdsecAnswer): void => {
    const { applied, leftOut } = held.apply(changes);
    if (leftOut > 0) log('warn', 'crowdsec_list_too_long', { kept: held.size, leftOut });
    if (applied === undefined) return;
    isKept = false;
    take(applied);
  };

  const begin = async (wanted: CrowdsecSettings | undefined): Promise<void> => {
    url = wanted?.url;
    reason = undefined;
    reportUsage = await openUsageReport(watch);
    const kept = wanted && (await readKept(settings(), wanted.url));
    readAt = kept?.readAt ?? clock();
    if (held.size > 0 || kept !== undefined) {
      apply({ isWhole: true, added: kept?.decisions ?? [], removed: [] });
    }
  };

  const ask = async (wanted: CrowdsecSettings, isWhole: boolean): Promise<void> => {
    const answer = await askCrowdsec(wanted, isWhole, clock);
    if (answer.kind === 'read') {
      if (reason !== '')
        log('info', 'crowdsec_current', { decisions: answer.changes.added.length });
      reason = '';
      readAt = clock();
      apply(answer.changes);
      return;
    }
    if (reason !== answer.reason) log('warn', 'crowdsec_away', { reason: answer.reason });
    ({ reason } = answer);
  };

  const keep = async (): Promise<void> => {
    const file = keptFile(settings());
    if (url === undefined || isKept || file === undefined) return;
    isKept = true;
    keptAt = clock();
    const text = JSON.stringify({ url, readAt, decisions: held.current(keptAt) });
    const fault = await keepFile(file, text);
    if (fault !== undefined) log('warn', 'crowdsec_list_not_kept', { reason: fault });
  };

  /** True if the clock of Guard was set since the last call. Then the ends of the decisions are wrong. */
  const isClockSet = (): boolean => {
    const before = clockZero;
    clockZero = clock() - elapsed();
    return Math.abs(clockZero - before) >= CLOCK_SET_MS;
  };

  const look = async (): Promise<number> => {
    if (isClockSet()) reason = undefined;
    const wanted = settings().crowdsec;
    if (wanted?.url !== url) await begin(wanted);
    if (wanted !== undefined) await ask(wanted, reason !== '');
    if (wanted !== undefined && reason === '') await reportUsage(wanted);
    // A time below zero means that the clock was set back.
    const sinceKept = clock() - keptAt;
    if (sinceKept < 0 || sinceKept >= KEEP_EVERY_MS) await keep();
    return wanted?.every ?? IDLE_MS;
  };

  metrics.gauge('guard_crowdsec_decisions', () => held.current(clock()).length);
  metrics.gauge('guard_crowdsec_age_seconds', () =>
    url === undefined ? 0 : Math.round((clock() - readAt) / 1000),
  );
  await begin(settings().crowdsec);
  const endLooks = repeat(0, look);
  return {
    all: () => ({ isWhole: true, added: held.current(clock()), removed: [] }),
    close: async () => {
      await endLooks();
      await keep();
    },
  };
}

function keptFile(settings: Settings): string | undefined {
  const folder = dataFolder(settings);
  return folder === undefined ? undefined : join(folder, 'crowdsec.json');
}

interface Kept {
  readonly readAt: number;
  readonly decisions: readonly TypedDecision[];
}

/** The copy of an earlier run. Undefined when there is no copy, or when it came from another CrowdSec. */
async function readKept(settings: Settings, url: string): Promise<Kept | undefined> {
  const file = keptFile(settings);
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch(() => '');
  const kept = readJson(KeptDecisions, text);
  if (kept?.url !== url) return undefined;
  const { readAt, decisions } = kept;
  return {
    readAt,
    decisions: decisions.flatMap(({ type, scope, value, until }) => {
      const about = subjectOf(scope, value);
      return about === undefined ? [] : [{ type, ...about, until }];
    }),
  };
}
