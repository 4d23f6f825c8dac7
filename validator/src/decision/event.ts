import type { Action, DecisionEvent } from '@guard/config/contract/event';
import { categoriesOf } from '@guard/config/contract/reasons';
import { referrerOrigin } from '@guard/config/contract/referrer-origin';
import type { ValidateResponse } from '@guard/config/contract/validate-response';
import type { Caller, Engine } from './engine.ts';
import type { Policy } from '../policy/compile-policy.ts';
import { challengeStateOf } from '../request/facts.ts';
import type { Rendering } from '../response/render.ts';
import type { Findings } from '../signals/findings.ts';
import { microseconds, stagesOf, type Times } from './times.ts';
import type { Judgement } from '../verdict/verdict.ts';

/** The parts of one answer that its event also records. */
export interface Answer extends Rendering {
  /** Digest of the session that the visitor has after this answer, sent or new. Empty when there is none. */
  readonly session: string;
  /** Digest of the session that the request sent. Empty when the request sent none. */
  readonly sessionSent: string;
  readonly nowMs: number;
}

/** Data that the event records in addition to the answer. */
interface EventContext {
  readonly policy: Pick<Policy, 'organisation'>;
  readonly caller: Pick<Caller, 'site' | 'via' | 'ipFrom' | 'protocol' | 'body'>;
  readonly engine: Pick<Engine, 'observe' | 'settingsRevision'>;
  readonly findings: Pick<Findings, 'computed' | 'points'>;
  readonly times: Times;
}

/** Most decisions have no reasons, so they share this empty list. */
const NO_REASONS: readonly string[] = [];

/** Makes the event of a decision (contract 2.7). */
export function describeEvent(
  judgement: Judgement,
  response: ValidateResponse,
  answer: Answer,
  { policy, caller, engine, findings, times }: EventContext,
): DecisionEvent {
  const { facts } = answer;
  const { concluded, enforced } = judgement;
  const action: Action = enforced.kind;
  return {
    createdAt: answer.nowMs,
    requestId: answer.requestId,
    organisation: policy.organisation,
    site: caller.site,
    action,
    decision: concluded.kind,
    response: response.decision,
    statusCode: response.status_code ?? 0,
    originStatus: 0,
    originUs: 0,
    rule: concluded.by?.name ?? '',
    monitor: judgement.monitor,
    observe: engine.observe,
    rateLimited: concluded.kind === 'limited',
    blockReasons: concluded.reasons,
    blockReasonCategories:
      concluded.reasons.length === 0 ? NO_REASONS : categoriesOf(concluded.reasons),
    crawler: facts.crawler,
    signedAgent: facts.signedAgent,
    method: facts.method,
    scheme: facts.url.scheme,
    protocol: caller.protocol ?? '',
    host: facts.url.host,
    path: facts.url.path,
    query: facts.url.query,
    referrerOrigin: referrerOrigin(facts.referrer),
    ip: facts.ip,
    ipFrom: caller.ipFrom,
    asn: facts.asn(),
    asnName: facts.asnName(),
    country: facts.country(),
    userAgent: facts.userAgent,
    findings: findings.computed,
    findingPoints: findings.points(),
    session: answer.session,
    sessionSent: answer.sessionSent,
    challenge: action === 'challenge' ? 'issued' : challengeStateOf(facts.session),
    reference: answer.reference,
    validator: caller.via,
    durationUs: microseconds(performance.now() - times.startedAt),
    settingsRevision: engine.settingsRevision,
    stagesUs: stagesOf(times),
    headers: facts.headers,
    body: caller.body ?? '',
    ja4: facts.transport?.hello?.ja4 ?? '',
    http2: facts.transport?.http2?.fingerprint ?? '',
  };
}
