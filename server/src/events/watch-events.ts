import { emptyColumns } from '@guard/analytics';
import type { DecisionEvent } from '@guard/config/contract/event';
import type { EventSink, Log } from '@guard/config/contract/ports';
import { isReason } from '@guard/config/contract/reasons';
import { truncateAddress } from '@guard/config/net/truncate-address';
import type { EventPrivacy } from '@guard/config/settings/sections/event-privacy';
import type { Settings } from '@guard/config/settings/schema';
import type { MetricsPage } from '../metrics/metrics.ts';

/**
 * Logs every decision before it passes the event to `sink`, if the settings require such a log. The lines have no
 * query, because many people read logs.
 */
export function logDecisions(
  sink: EventSink,
  log: Log,
  currentSettings: () => Pick<Settings, 'log' | 'analytics'>,
): EventSink {
  let privacy: EventPrivacy | undefined;
  let emptyNames: ReadonlySet<string> = new Set();
  return {
    record(event) {
      const { log: logSettings, analytics } = currentSettings();
      // The event of a failed upload has no decision.
      if (logSettings.decisions && event.challenge !== 'failed') {
        if (analytics?.privacy !== privacy) {
          privacy = analytics?.privacy;
          emptyNames = new Set(privacy && emptyColumns(privacy));
        }
        log('info', 'decision', lineOf(event, privacy, emptyNames));
      }
      sink.record(event);
    },
  };
}

/**
 * The most characters of each text that a visitor chooses. An escaped character can take six bytes, and Docker splits
 * lines at 16 KiB. CrowdSec would find no address in the second part of a line, and would not count the visitor.
 */
const MAX_TEXT_LENGTH = 1_024;

type Line = Readonly<Record<string, string | number | boolean>>;

/** The fields have the names of the columns. Empty fields, and fields that privacy settings empty, are left out. */
function lineOf(
  event: DecisionEvent,
  privacy: EventPrivacy | undefined,
  emptyNames: ReadonlySet<string>,
): Line {
  const { facts = 0, session = 0, verdict = 0 } = event.stagesUs ?? {};
  const line = {
    request_id: event.requestId,
    organisation: event.organisation,
    site: event.site,
    action: event.action,
    decision: event.decision,
    status_code: event.statusCode,
    origin_status: event.originStatus || '',
    origin_us: event.originUs || '',
    rule: event.rule,
    monitor: event.monitor,
    observe: event.observe,
    block_reasons: event.blockReasons.join(' '),
    crawler_name: event.crawler?.name ?? '',
    signed_agent: event.signedAgent?.name ?? '',
    method: event.method,
    host: event.host,
    path: event.path.slice(0, MAX_TEXT_LENGTH),
    user_agent: event.userAgent.slice(0, MAX_TEXT_LENGTH),
    ip: addressOf(event, privacy),
    ip_from: event.ipFrom ?? '',
    fetch_site: fetchSiteOf(event, privacy),
    session: event.session,
    session_sent: event.sessionSent ?? '',
    challenge: event.challenge,
    reference: event.reference,
    validator: event.validator,
    settings_revision: event.settingsRevision ?? '',
    ...traceFields(event),
    duration_us: event.durationUs,
    facts_us: facts,
    session_us: session,
    verdict_us: verdict,
  };
  return Object.fromEntries(
    Object.entries(line).filter(
      ([name, value]) => value !== '' && value !== false && !emptyNames.has(name),
    ),
  );
}

function addressOf({ ip }: DecisionEvent, privacy: EventPrivacy | undefined): string {
  return privacy?.truncate_ip === true ? truncateAddress(ip) : ip;
}

const FETCH_SITE = 'sec-fetch-site';
const FETCH_SITES: ReadonlySet<string> = new Set([
  'none',
  'same-origin',
  'same-site',
  'cross-site',
]);

/**
 * The value of Sec-Fetch-Site: how the page that caused the request is related to the site. Empty for an unknown value,
 * and if the privacy settings drop the header.
 */
function fetchSiteOf({ headers }: DecisionEvent, privacy: EventPrivacy | undefined): string {
  const site = headers[FETCH_SITE] ?? '';
  return FETCH_SITES.has(site) && privacy?.drop_headers.includes(FETCH_SITE) !== true ? site : '';
}

/** The names that OpenTelemetry recommends for logs in other formats. */
function traceFields({ trace }: DecisionEvent): Line {
  return trace === undefined ? {} : { trace_id: trace.traceId, span_id: trace.spanId };
}

/** Counts the reasons and the duration of every event that goes to `sink`. */
export function measureEvents(
  sink: EventSink,
  metrics: Pick<MetricsPage, 'count' | 'observeDecision'>,
): EventSink {
  return {
    record(event: DecisionEvent) {
      // The event of a failed upload has no decision and no duration.
      if (event.challenge !== 'failed') {
        metrics.observeDecision(event.durationUs / 1e6);
      }
      for (const reason of event.blockReasons) {
        metrics.count('guard_block_reasons_total', isReason(reason) ? reason : 'other');
      }
      sink.record(event);
    },
  };
}
