import type { CrowdsecSettings } from '@guard/config/settings/schema';
import type { ProcessContext } from '../process/process-context.ts';
import { tellUsage } from './local-api.ts';

/** The least time between two reports, as CrowdSec asks of bouncers. */
const WINDOW_MS = 15 * 60_000;

/** Sends a report when one is due. Never rejects. */
export type ReportUsage = (crowdsec: CrowdsecSettings) => Promise<void>;

/**
 * Tells CrowdSec how many requests were decided, and how many of their visitors were on its list, from now on. The
 * numbers are those of the metrics page. What could not be sent is part of the next report. CrowdSec has this from
 * version 1.6.3 on. An older one does not know the path: it is asked once.
 */
export async function openUsageReport({
  clock,
  log,
  metrics,
}: ProcessContext): Promise<ReportUsage> {
  const startedAt = clock();
  let from = startedAt;
  let triedAt = startedAt;
  let before = countedIn(await metrics.values());
  let isUnknown = false;
  let isRefusalSaid = false;

  return async (crowdsec) => {
    const until = clock();
    // The clock was set back.
    if (until < triedAt) from = triedAt = until;
    if (isUnknown || until - triedAt < WINDOW_MS) return;
    triedAt = until;
    const counted = countedIn(await metrics.values());
    const answer = await tellUsage(crowdsec, {
      ...{ startedAt, from, until },
      items: [
        { name: 'processed', unit: 'request', value: counted.processed - before.processed },
        { name: 'dropped', unit: 'request', value: counted.dropped - before.dropped },
        { name: 'active_decisions', unit: 'ip', value: counted.active },
      ],
    });
    // The list of decisions tells when CrowdSec gives no answer.
    if (typeof answer === 'string') return;
    isUnknown = answer === 404 || answer === 405;
    if (answer < 300) [from, before] = [until, counted];
    else if (!isUnknown && !isRefusalSaid) {
      isRefusalSaid = true;
      log('warn', 'crowdsec_usage_refused', { reason: `status ${answer}` });
    }
  };
}

function countedIn(values: Readonly<Record<string, number>>) {
  const decisions = Object.entries(values).filter(([name]) =>
    name.startsWith('guard_decisions_total{'),
  );
  return {
    processed: decisions.reduce((sum, [, value]) => sum + value, 0),
    dropped: values['guard_block_reasons_total{reason="crowdsec_listed"}'] ?? 0,
    active: values['guard_crowdsec_decisions'] ?? 0,
  };
}
