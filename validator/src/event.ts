import type { Action, DecisionEvent } from '@guard/config/contract/event';
import { categoriesOf } from '@guard/config/contract/reasons';
import { referrerOrigin } from '@guard/config/contract/referrer-origin';
import type { ValidateResponse } from '@guard/config/contract/validate-response';
import { challengeStateOf, type Facts } from './request/facts.ts';
import type { Judgement } from './verdict/verdict.ts';

export interface Told {
  readonly facts: Facts;
  readonly judgement: Judgement;
  readonly response: ValidateResponse;
  readonly requestId: string;
  readonly reference: string;
  readonly sessionId: string;
  readonly createdAt: number;
  readonly organisation: string;
  readonly site: string;
  readonly validator: DecisionEvent['validator'];
  readonly observe: boolean;
  readonly durationUs: number;
}

/** A decision as it is remembered (spec 2.7). */
export function describeEvent(told: Told): DecisionEvent {
  const { facts, judgement, response } = told;
  const { concluded, enforced } = judgement;
  const action: Action = enforced.kind;
  return {
    createdAt: told.createdAt,
    requestId: told.requestId,
    organisation: told.organisation,
    site: told.site,
    action,
    decision: concluded.kind,
    response: response.decision,
    statusCode: response.status_code ?? 0,
    rule: concluded.by?.name ?? '',
    monitor: judgement.monitor,
    observe: told.observe,
    rateLimited: concluded.kind === 'limited',
    blockReasons: concluded.reasons,
    blockReasonCategories: categoriesOf(concluded.reasons),
    crawler: facts.crawler,
    method: facts.method,
    scheme: facts.url.scheme,
    host: facts.url.host,
    path: facts.url.path,
    query: facts.url.query,
    referrerOrigin: referrerOrigin(facts.referrer),
    ip: facts.ip,
    country: facts.country(),
    userAgent: facts.userAgent,
    session: told.sessionId,
    challenge: action === 'challenge' ? 'issued' : challengeStateOf(facts.session),
    reference: told.reference,
    validator: told.validator,
    durationUs: told.durationUs,
    headers: facts.headers,
  };
}
