import type { ValidateErrorType } from '@guard/config/contract/errors';
import { VALIDATE } from '@guard/config/contract/limits';
import type { Clock, EventSink, MaybePromise, SessionStore } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import type { ValidateResponse } from '@guard/config/contract/validate-response';
import type { IssueChallenge } from './challenge/issue.ts';
import { after, within } from './deadline.ts';
import type { Policy } from './organisation.ts';
import { describe, type FactSources, type Facts } from './request/facts.ts';
import { respond } from './respond.ts';
import { budgetKey } from './rules/budget-key.ts';
import { direct } from './rules/direct.ts';
import { resolveSession } from './session/resolve.ts';
import type { SessionIds } from './session/session-id.ts';
import { findingsOf } from './signals/list.ts';
import { decide } from './verdict/decide.ts';
import type { Judgement } from './verdict/verdict.ts';

/** Everything a decision needs, built once. */
export interface Engine {
  readonly sources: FactSources;
  readonly store: SessionStore;
  readonly ids: SessionIds;
  readonly issue: IssueChallenge;
  readonly events: EventSink;
  readonly clock: Clock;
  /** Enforce nothing, record everything. */
  readonly observe: boolean;
}

/** Who asks, and where the challenge page of its visitors uploads to. */
export interface Caller {
  readonly site: string;
  readonly via: 'in-process' | 'api';
  readonly uploadUrl: string;
}

export type Validated =
  | { readonly kind: 'response'; readonly response: ValidateResponse }
  | { readonly kind: 'error'; readonly type: ValidateErrorType; readonly message?: string };

/**
 * One decision (spec 3): facts, findings, rules, verdict, response, event. It answers at once while
 * the store does, and never later than the budget of 500 ms (spec 8).
 */
export function validate(
  request: ValidateRequest,
  policy: Policy,
  caller: Caller,
  engine: Engine,
): MaybePromise<Validated> {
  const startedAt = performance.now();
  const described = describe(request, engine.sources, policy.isAllowlisted);
  if (described.kind === 'error') return described;
  const visitor = { organisation: policy.organisation, userAgent: described.facts.userAgent };
  const answer = after(
    resolveSession(described.cookie, visitor, engine.store, engine.ids),
    (session) => {
      const facts: Facts = { ...described.facts, session };
      return after(judge(facts, policy, engine.store), (judgement): Validated => {
        const response = respond(facts, judgement, { policy, caller, engine, startedAt });
        return { kind: 'response', response };
      });
    },
  );
  if (!(answer instanceof Promise)) return answer;
  return within<Validated>(answer, VALIDATE.budgetMs, () => ({
    kind: 'error',
    type: 'validation_timeout',
  }));
}

/** Rules and findings to a judgement. Findings are made when something asks, and once. */
function judge(facts: Facts, policy: Policy, store: SessionStore): MaybePromise<Judgement> {
  let found: readonly Reason[] | undefined;
  const findings = () => (found ??= findingsOf(facts));
  const directives = direct(policy.rules, facts, findings);
  const monitor = directives.monitor || policy.monitor;
  return decide({ ...directives, monitor }, facts, findings, ({ value, by }) =>
    store.take(budgetKey(policy.organisation, by, value.by, facts), {
      requests: value.requests,
      perMs: value.per,
    }),
  );
}
