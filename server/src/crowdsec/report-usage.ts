import type { CrowdsecSettings } from '@guard/config/settings/schema';
import type { ProcessContext } from '../process/process-context.ts';
import { sendUsage } from './local-api.ts';

/** The least time between two reports. CrowdSec asks this of bouncers. */
const WINDOW_MS = 15 * 60_000;

/** Sends a report when one is due. Never rejects. */
export type ReportUsage = (crowdsec: CrowdsecSettings) => Promise<void>;

/**
 * Sends CrowdSec the number of decided requests, and the number of requests from visitors on its list. A report that
 * could not be sent becomes part of the next report. CrowdSec before version 1.6.3 does not know the path of reports,
 * and then gets no further report.
 */
export async function openUsageReport({
  clock,
  log,
  metrics,
}: ProcessContext): Promise<ReportUsage> {
  const startedAt = clock();
  let from = startedAt;
  let triedAt = startedAt;
  let lastCounts = countsIn(await metrics.values());
  let isPathUnknown = false;
  let isRefusalLogged = false;

  return async (crowdsec) => {
    const until = clock();
    // This is true when the clock was set back.
    if (until < triedAt) from = triedAt = until;
    if (isPathUnknown || until - triedAt < WINDOW_MS) return;
    triedAt = until;
    const counts = countsIn(await metrics.values());
    const answer = await sendUsage(crowdsec, {
      ...{ startedAt, from, until },
      items: [
        { name: 'processed', unit: 'request', value: counts.processed - lastCounts.processed },
        { name: 'dropped', unit: 'request', value: counts.dropped - lastCounts.dropped },
        { name: 'active_decisions', unit: 'ip', value: counts.active },
      ],
    });
    // watch-crowdsec.ts logs when CrowdSec gives no answer.
    if (typeof answer === 'string') return;
    isPathUnknown = answer === 404 || answer === 405;
    if (answer < 300) [from, lastCounts] = [until, counts];
    else if (!isPathUnknown && !isRefusalLogged) {
      isRefusalLogged = true;
      log('warn', 'crowdsec_usage_refused', { reason: `status ${answer}` });
    }
  };
}

function countsIn(values: Readonly<Record<string, number>>) {
  const decisions = Object.entries(values).filter(([name]) =>
    name.startsWith('guard_decisions_total{'),
  );
  return {
    processed: decisions.reduce((sum, [, value]) => sum + value, 0),
    dropped: values['guard_block_reasons_total{reason="crowdsec_listed"}'] ?? 0,
    active: values['guard_crowdsec_decisions'] ?? 0,
  };
}
