import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CrowdsecChanges } from '@guard/config/contract/crowdsec';
import { readJson } from '@guard/config/contract/json';
import { dataFolder } from '@guard/config/settings/derived/data-places';
import type { CrowdsecSettings, Settings } from '@guard/config/settings/schema';
import { z } from 'zod';
import type { Close, ProcessContext } from '../process/process-context.ts';
import { keepFile } from '../process/keep-file.ts';
import { HeldDecisions, type CrowdsecAnswer } from './held-decisions.ts';
import { askCrowdsec } from './local-api.ts';
import { subjectOf } from './read-answer.ts';
import { openUsageReport, type ReportUsage } from './report-usage.ts';
import { repeat } from '../process/repeat.ts';

/** The copy of the list that an earlier run wrote. */
const StoredDecisions = z.object({
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

/**
 * Further decisions are dropped and logged. This many decisions take 16 MB in each thread, and 26 MB more in the main
 * thread.
 */
const MAX_DECISIONS = 100_000;
/** The least time between two writes of the copy. */
const KEEP_EVERY_MS = 60_000;
/** Wall clock and monotonic clock normally differ by microseconds. A larger difference means that a clock was set. */
const CLOCK_SET_MS = 1_000;
const IDLE_MS = 1_000;

interface CrowdsecWatch extends ProcessContext {
  readonly settings: () => Settings;
  /** Milliseconds of a monotonic clock. A change of the system's time does not affect it. */
  readonly elapsed: () => number;
  readonly onChanges: (changes: CrowdsecChanges) => void;
}

interface WatchedCrowdsec {
  readonly all: () => CrowdsecChanges;
  readonly close: Close;
}

/**
 * Asks CrowdSec for changes, as a bouncer does. CrowdSec sends each change once, so after a lost answer Guard asks for
 * the whole list. While CrowdSec is away, the last list stays in use, and each decision ends at its own time. When
 * CrowdSec does not answer at a start, Guard uses the copy in the data folder. Resolves after the copy was read.
 */
export async function watchCrowdsec(watch: CrowdsecWatch): Promise<WatchedCrowdsec> {
  const { settings, onChanges, clock, elapsed, log, metrics } = watch;
  const heldDecisions = new HeldDecisions(MAX_DECISIONS);
  /** The URL of the CrowdSec that sent the decisions. Undefined when the settings name no CrowdSec. */
  let url: string | undefined;
  let readAt = clock();
  let writtenAt = 0;
  let isWritten = true;
  let reason: string | undefined;
  let reportUsage: ReportUsage;
  let clockZero = clock() - elapsed();

  const apply = (changes: CrowdsecAnswer): void => {
    const { applied, leftOut } = heldDecisions.apply(changes);
    if (leftOut > 0) log('warn', 'crowdsec_list_too_long', { kept: heldDecisions.size, leftOut });
    if (applied === undefined) return;
    isWritten = false;
    onChanges(applied);
  };

  const switchTo = async (crowdsec: CrowdsecSettings | undefined): Promise<void> => {
    url = crowdsec?.url;
    reason = undefined;
    reportUsage = await openUsageReport(watch);
    const storedCopy = crowdsec && (await readCopy(settings(), crowdsec.url));
    readAt = storedCopy?.readAt ?? clock();
    if (heldDecisions.size > 0 || storedCopy !== undefined) {
      apply({ isWhole: true, added: storedCopy?.decisions ?? [], removed: [] });
    }
  };

  const askOnce = async (crowdsec: CrowdsecSettings, isWhole: boolean): Promise<void> => {
    const answer = await askCrowdsec(crowdsec, isWhole, clock);
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

  const writeCopy = async (): Promise<void> => {
    const file = copyFile(settings());
    if (url === undefined || isWritten || file === undefined) return;
    isWritten = true;
    writtenAt = clock();
    const text = JSON.stringify({ url, readAt, decisions: heldDecisions.current(writtenAt) });
    const fault = await keepFile(file, text);
    if (fault !== undefined) log('warn', 'crowdsec_list_not_kept', { reason: fault });
  };

  /** Whether the clock of this machine was set. Then the ends of the decisions are wrong. */
  const isClockSet = (): boolean => {
    const zeroBefore = clockZero;
    clockZero = clock() - elapsed();
    return Math.abs(clockZero - zeroBefore) >= CLOCK_SET_MS;
  };

  const runOnce = async (): Promise<number> => {
    if (isClockSet()) reason = undefined;
    const crowdsec = settings().crowdsec;
    if (crowdsec?.url !== url) await switchTo(crowdsec);
    if (crowdsec !== undefined) await askOnce(crowdsec, reason !== '');
    if (crowdsec !== undefined && reason === '') await reportUsage(crowdsec);
    // A time below zero means that the clock was set back.
    const sinceWrittenMs = clock() - writtenAt;
    if (sinceWrittenMs < 0 || sinceWrittenMs >= KEEP_EVERY_MS) await writeCopy();
    return crowdsec?.every ?? IDLE_MS;
  };

  metrics.gauge('guard_crowdsec_decisions', () => heldDecisions.current(clock()).length);
  metrics.gauge('guard_crowdsec_age_seconds', () =>
    url === undefined ? 0 : Math.round((clock() - readAt) / 1000),
  );
  await switchTo(settings().crowdsec);
  const endLooks = repeat(0, runOnce);
  return {
    all: () => ({ isWhole: true, added: heldDecisions.current(clock()), removed: [] }),
    close: async () => {
      await endLooks();
      await writeCopy();
    },
  };
}

function copyFile(settings: Settings): string | undefined {
  const folder = dataFolder(settings);
  return folder === undefined ? undefined : join(folder, 'crowdsec.json');
}

/** Reads the copy of an earlier run. Undefined when there is no copy, or when the copy came from another CrowdSec. */
async function readCopy(settings: Settings, url: string) {
  const file = copyFile(settings);
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch(() => '');
  const storedCopy = readJson(StoredDecisions, text);
  if (storedCopy?.url !== url) return undefined;
  const { readAt, decisions } = storedCopy;
  return {
    readAt,
    decisions: decisions.flatMap(({ type, scope, value, until }) => {
      const subject = subjectOf(scope, value);
      return subject === undefined ? [] : [{ type, ...subject, until }];
    }),
  };
}
