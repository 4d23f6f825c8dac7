import type { ValidateErrorType } from '@guard/config/contract/errors';
import { VALIDATE } from '@guard/config/contract/limits';
import type { MaybePromise, SessionStore } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import type { ValidateResponse } from '@guard/config/contract/validate-response';
import { after, within } from './deadline.ts';
import type { Caller, Engine } from './engine.ts';
import { nameOf } from './error-name.ts';
import type { Policy } from './organisation.ts';
import { describe, type Described, type Facts } from './request/facts.ts';
import { respond, type Setting } from './respond.ts';
import { budgetKey } from './rules/budget-key.ts';
import { direct } from './rules/direct.ts';
import { resolveSession } from './session/resolve.ts';
import { findingsOf } from './signals/list.ts';
import { decide } from './verdict/decide.ts';
import type { Judgement } from './verdict/verdict.ts';

export type Validated =
  | { readonly kind: 'response'; readonly response: ValidateResponse }
  | { readonly kind: 'error'; readonly type: ValidateErrorType; readonly message?: string };

const TIMED_OUT: Validated = { kind: 'error', type: 'validation_timeout' };

/**
 * One decision (spec 3): facts, findings, rules, verdict, response, event. It answers at once while
 * the store does, and never later than the budget of 500 ms (spec 8). Never rejects: whatever breaks,
 * in here or in the store, is a logged `internal_server_error`.
 */
export function validate(
  request: ValidateRequest,
  policy: Policy,
  caller: Caller,
  engine: Engine,
): MaybePromise<Validated> {
  const failed = (error: unknown): Validated => {
    // Its name and not its message, which can quote what was sent.
    engine.log('error', 'validate_failed', { error: nameOf(error) });
    return { kind: 'error', type: 'internal_server_error' };
  };
  try {
    const startedAt = performance.now();
    const described = describe(request, engine.sources, policy.isAllowlisted);
    if (described.kind === 'error') return described;
    const deadline: Deadline = { passed: false, signal: caller.signal };
    const answer = decideOn(described, deadline, { policy, caller, engine, startedAt });
    if (!(answer instanceof Promise)) return answer;
    const leftMs = VALIDATE.budgetMs - (performance.now() - startedAt);
    return within(answer.catch(failed), leftMs, () => {
      deadline.passed = true;
      return TIMED_OUT;
    });
  } catch (error) {
    return failed(error);
  }
}

/** What a store that answers too late finds: nobody waits any more, so nothing is spent or recorded. */
interface Deadline {
  passed: boolean;
  readonly signal: AbortSignal | undefined;
}

function isOver({ passed, signal }: Deadline): boolean {
  return passed || signal?.aborted === true;
}

function decideOn(
  { facts: known, cookie }: Described & { kind: 'described' },
  deadline: Deadline,
  setting: Setting,
): MaybePromise<Validated> {
  const { policy, engine } = setting;
  const visitor = { organisation: policy.organisation, userAgent: known.userAgent };
  return after(resolveSession(cookie, visitor, engine.store, engine.ids), (session) => {
    if (isOver(deadline)) return TIMED_OUT;
    const facts: Facts = { ...known, session };
    return after(judge(facts, policy, engine.store), (judgement): Validated => {
      if (isOver(deadline)) return TIMED_OUT;
      return { kind: 'response', response: respond(facts, judgement, setting) };
    });
  });
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
