import { validateErrors } from '@guard/config/contract/errors';
import type { DecisionEvent } from '@guard/config/contract/event';
import type { MetricName } from '@guard/config/contract/metrics';
import type {
  Clock,
  Log,
  Metrics,
  ValidateFailure,
  ValidateOutcome,
} from '@guard/config/contract/ports';
import { presentedSessions } from '@guard/config/contract/presented-session';
import { referrerOrigin } from '@guard/config/contract/referrer-origin';
import { mintRequestId } from '@guard/config/contract/request-id';
import { SECRET_HEADERS } from '@guard/config/contract/secret-headers';
import { sessionDigest } from '@guard/config/contract/session-digest';
import type { ForeignValidateResponse } from '@guard/config/contract/validate-response';
import { type Inquiry, pathOf } from '../arrive/arrive.ts';
import { createThrottledLog } from '../base/throttled-log.ts';

/** What the gateway does with an answer of the validator, or without one. */
type Ruling =
  | {
      readonly kind: 'enforce';
      readonly response: ForeignValidateResponse;
      readonly requestId: string;
      /** Undefined when the validator has recorded the event itself. */
      readonly event: DecisionEvent | undefined;
    }
  | { readonly kind: FailureResult; readonly requestId: string; readonly event: DecisionEvent };

/** The result of a failure. `open`: the request passes. `closed`: it is denied. `busy`: the visitor tries again. */
type FailureResult = 'open' | 'closed' | 'busy';

/** Decides about one outcome; `startedAt` is performance.now() before the question. */
export type FailPolicy = (visit: Inquiry, outcome: ValidateOutcome, startedAt: number) => Ruling;

interface FailPolicyPorts {
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
}

/**
 * The result of each failure. `overloaded` is the gateway's own limit. Visitors can reach it with many requests at
 * once, so it must not let them pass.
 */
const RESULT_OF_FAILURE: Readonly<Record<ValidateFailure, 'open' | 'busy'>> = {
  server_error: 'open',
  unsuccessful: 'open',
  bad_answer: 'open',
  connection: 'open',
  timeout: 'open',
  breaker_open: 'open',
  overloaded: 'busy',
};

/** Failures without a question to the validator. Every request can cause one, so few are logged. */
const FAILURES_WITHOUT_QUESTION: ReadonlySet<string> = new Set<ValidateFailure>([
  'breaker_open',
  'overloaded',
]);
/** The metric that counts each failure, and the status that the visitor gets. */
const METRIC_AND_STATUS = {
  open: { metric: 'guard_gateway_fail_open_total', status: 200 },
  closed: { metric: 'guard_gateway_fail_closed_total', status: 403 },
  busy: { metric: 'guard_gateway_fail_closed_total', status: 503 },
} as const satisfies Record<
  FailureResult,
  { readonly metric: MetricName; readonly status: number }
>;
const LOG_EVERY_MS = 10_000;

/**
 * The fail policy of contract 7.1. No other code decides about it. When the validator gives no usable answer (5xx,
 * timeout, no connection, an unreadable answer, `success: false` with 200, breaker open), the gateway fails open.
 * When it rejects the question (4xx), the gateway fails closed: a crafted request can make the validator reject it,
 * so allowing it would be a bypass. A gateway that is overloaded itself answers 503.
 *
 * A failure is counted and logged. The gateway makes its event, because no validator made one.
 */
export function createFailPolicy(ports: FailPolicyPorts): FailPolicy {
  const logThrottled = createThrottledLog(ports.log, ports.clock, LOG_EVERY_MS);

  return (visit, outcome, startedAt) => {
    switch (outcome.kind) {
      case 'answered': {
        const { response } = outcome;
        const requestId = response.request_id ?? mintRequestId(ports.clock());
        return { kind: 'enforce', response, requestId, event: outcome.extras?.event };
      }
      case 'failed':
        return fail(RESULT_OF_FAILURE[outcome.reason], outcome.reason, visit, startedAt);
      case 'rejected': {
        const label = outcome.type in validateErrors ? outcome.type : `status_${outcome.status}`;
        return fail('closed', label, visit, startedAt);
      }
    }
  };

  function fail(kind: FailureResult, reason: string, visit: Inquiry, startedAt: number): Ruling {
    const { metric, status } = METRIC_AND_STATUS[kind];
    ports.metrics.count(metric, reason);
    const requestId = mintRequestId(ports.clock());
    const log = FAILURES_WITHOUT_QUESTION.has(reason) ? logThrottled : ports.log;
    log('warn', `gateway_fail_${kind}`, { site: visit.site.name, reason, requestId });
    const durationUs = Math.round((performance.now() - startedAt) * 1000);
    const { observe } = visit.site;
    const isBlocked = kind !== 'open' && !observe;
    const event: DecisionEvent = {
      ...failureFacts(visit, requestId),
      createdAt: ports.clock(),
      action: isBlocked ? 'block' : 'allow',
      response: isBlocked ? 'block' : 'allow',
      statusCode: isBlocked ? status : 200,
      observe,
      durationUs,
    };
    return { kind, requestId, event };
  }
}

/** The part of the event that is the same for every failure. */
function failureFacts(
  { req, client, host, target, protocol, site, bodySample = '' }: Inquiry,
  requestId: string,
): Omit<
  DecisionEvent,
  'createdAt' | 'action' | 'response' | 'statusCode' | 'observe' | 'durationUs'
> {
  const path = pathOf(target);
  const [presentedSession = ''] = presentedSessions(undefined, req.headers.cookie);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.headers)) {
    if (typeof value === 'string' && !SECRET_HEADERS.has(name)) headers[name] = value;
  }
  return {
    requestId,
    organisation: site.config.settings.organisation,
    site: site.name,
    decision: 'none',
    rule: '',
    monitor: false,
    rateLimited: false,
    blockReasons: [],
    blockReasonCategories: [],
    crawler: undefined,
    method: req.method ?? '',
    scheme: client.scheme,
    protocol: protocol ?? '',
    host,
    path,
    query: target.slice(path.length + 1),
    referrerOrigin: referrerOrigin(req.headers.referer),
    ip: client.ip,
    ipFrom: client.from,
    country: '',
    userAgent: req.headers['user-agent'] ?? '',
    session: '',
    sessionSent: sessionDigest(presentedSession.toLowerCase()),
    challenge: 'none',
    reference: '',
    settingsRevision: site.settingsRevision,
    validator: site.config.validator,
    headers,
    body: bodySample,
  };
}
