import type { ValidateErrorType } from '@guard/config/contract/errors';
import type { MaybePromise } from '@guard/config/contract/ports';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import type { LateReason } from '@guard/config/time/patience';
import { afterWith } from '../session/after-with.ts';
import type { Caller, Engine } from './engine.ts';
import { nameOf } from '../request/error-name.ts';
import type { Policy } from '../policy/compile-policy.ts';
import { clientClass } from '../request/client-class.ts';
import { describe, type RequestFacts, type SessionFact } from '../request/facts.ts';
import { type DecisionContext, respond, type Responded } from './respond.ts';
import { findDirectives } from '../rules/directives.ts';
import { resolveSession } from '../session/resolve.ts';
import { Findings } from '../signals/findings.ts';
import { decide, type DecisionInput } from '../verdict/decide.ts';
import type { Judgement } from '../verdict/verdict.ts';

export type Validated =
  | Responded
  | {
      readonly kind: 'error';
      readonly type: ValidateErrorType;
      readonly message?: string;
      /** Why the decision was too late. Only with `validation_timeout`. */
      readonly late?: LateReason;
    };

const TIMED_OUT: Validated = { kind: 'error', type: 'validation_timeout' };
const BROKEN: Validated = { kind: 'error', type: 'internal_server_error' };
const NOT_JUDGED: Validated = { kind: 'error', type: 'request_not_judged' };

/**
 * Makes one decision (contract 3) and its event, which the caller records. It is synchronous when the store answers
 * synchronously, and always ends within 500 ms (contract 8). A late store normally answers from its local copy, so the
 * time limit ends a decision only when the store also fails to do this. Never rejects: a failure is logged and becomes
 * an error ({@link errorOf}).
 */
export function validate(
  request: ValidateRequest,
  policy: Policy,
  caller: Caller,
  engine: Engine,
): MaybePromise<Validated> {
  try {
    const startedAt = performance.now();
    const description = describe(request, engine.sources, policy, caller);
    if (description.kind === 'error') return description;
    const { facts, cookies } = description;
    const decision: Decision = {
      facts,
      findings: new Findings(facts, policy.strengths),
      presented: cookies[0] ?? '',
      policy,
      caller,
      engine,
      times: { startedAt, describedAt: performance.now(), knownAt: 0, decidedAt: 0 },
      isLate: false,
    };
    const { agent, ip } = facts;
    const client = cookies.length === 0 ? '' : clientClass(facts);
    const visitor = { organisation: policy.organisation, userAgentHash: agent.hash, ip, client };
    const { store, ids, clock } = engine;
    const session = resolveSession(cookies, visitor, store, ids, clock);
    const answer = afterWith(session, decision, judge);
    return answer instanceof Promise ? withTimeLimit(answer, decision) : answer;
  } catch (error) {
    return errorOf(error, policy, caller, engine);
  }
}

interface Decision extends DecisionContext {
  readonly findings: Findings;
  readonly facts: RequestFacts;
  /** True when the time limit has passed. */
  isLate: boolean;
}

/**
 * Whether no request waits for this decision any more. Then the decision takes nothing from budgets, and is not
 * recorded.
 */
function isOver({ isLate, caller }: Decision): boolean {
  return isLate || caller.signal?.aborted === true;
}

function judge(session: SessionFact, decision: Decision): MaybePromise<Validated> {
  if (isOver(decision)) return TIMED_OUT;
  const { facts, findings, policy, engine, caller } = decision;
  facts.session = session;
  decision.times.knownAt = performance.now();
  const { freePages, pressure, sessionLimits, strengths, traps } = policy;
  const ruleDirectives = findDirectives(policy.rules, facts, findings);
  const directives = engine.temporary.applyTo(ruleDirectives, policy.organisation, facts);
  const directivesWithMonitor =
    policy.monitor && !directives.monitor ? { ...directives, monitor: true } : directives;
  const input: DecisionInput = {
    directives: directivesWithMonitor,
    facts,
    findings,
    strengths,
    store: engine.store,
    freePages,
    pressure,
    site: caller.site,
    sessionLimits,
    traps,
    clock: engine.clock,
    reportsEnd: caller.reportsEnd === true,
    seesAnswer: caller.seesAnswer === true,
  };
  return afterWith(decide(input), decision, respondTo);
}

function respondTo(judgement: Judgement, decision: Decision): Validated {
  if (isOver(decision)) {
    judgement.watch?.ended('other');
    return TIMED_OUT;
  }
  decision.times.decidedAt = performance.now();
  return respond(decision.facts, judgement, decision);
}

function withTimeLimit(answer: Promise<Validated>, decision: Decision): Promise<Validated> {
  const { policy, caller, engine } = decision;
  const safeAnswer = answer.catch((error: unknown) => errorOf(error, policy, caller, engine));
  return engine.patience.within(safeAnswer, (late) => {
    decision.isLate = true;
    return { ...TIMED_OUT, late };
  });
}

/** Asks for the decision about {@link usualRequest}. */
const SELF_CHECK: Caller = { site: '', via: 'api', uploadUrl: '', ipFrom: 'caller' };

/**
 * The error after an exception. A visitor may have caused it on purpose, and callers fail open after
 * `internal_server_error`. So the validator judges a usual request as well. Only when that fails too, the cause is the
 * validator, and all visitors would be locked out. Otherwise the cause is this request.
 */
function errorOf(
  error: unknown,
  policy: Policy,
  caller: Caller,
  engine: Engine,
): MaybePromise<Validated> {
  if (caller === SELF_CHECK) return BROKEN;
  engine.log('error', 'validate_failed', { error: nameOf(error) });
  // A caller would refuse the request after NOT_JUDGED, and observe mode enforces nothing.
  if (engine.observe) return BROKEN;
  return afterWith(judgeUsual(policy, engine), undefined, (usual) =>
    usual === BROKEN ? BROKEN : NOT_JUDGED,
  );
}

function judgeUsual(policy: Policy, engine: Engine): MaybePromise<Validated> {
  try {
    const request = usualRequest(engine.ids.mint(policy.organisation));
    return validate(request, policy, SELF_CHECK, engine);
  } catch {
    return BROKEN;
  }
}

/** A page view of a browser that has a session, so that all steps run. */
function usualRequest(session: string): ValidateRequest {
  return {
    url: 'https://usual.invalid/',
    ip: '192.0.2.1',
    method: 'GET',
    cookie: session,
    headers: {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-language': 'en-US,en;q=0.5',
      'accept-encoding': 'gzip, deflate, br, zstd',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'none',
      'sec-fetch-user': '?1',
    },
  };
}
