import type { Action, DecisionEvent } from '@guard/config/contract/event';
import type { Budget, Charge, Session, SessionStore } from '@guard/config/contract/ports';
import type { Category } from '@guard/config/contract/reason-entry';
import { type Reason, reasons } from '@guard/config/contract/reasons';
import type { Group, Strength } from '@guard/config/contract/strengths';
import type { ValidateErrorType } from '@guard/config/contract/errors';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import type { ValidateResponse } from '@guard/config/contract/validate-response';
import { PRESET_PREFIX } from '@guard/config/settings/sections/preset-names';
import type { Rule } from '@guard/config/settings/sections/rule';
import { type ExplainedFacts, explainFacts } from './explain-facts.ts';
import type { Policy } from '../policy/compile-policy.ts';
import type { Facts } from '../request/facts.ts';
import { parseValidateBody } from '../request/parse.ts';
import type { LazyFindings } from '../rules/compile-match.ts';
import { allowlistRule, findDirectives } from '../rules/directives.ts';
import { type DirectiveName, directivesOf, setBy } from '../rules/directive-names.ts';
import { validate } from '../decision/validate.ts';
import type { Engine } from '../decision/engine.ts';
import type { Strengths } from '../verdict/strengths.ts';
import { TRAP_PREFIX } from '../verdict/traps.ts';
import { type Weighed, weigh } from '../verdict/weigh.ts';
import { hashUserAgent } from '../request/user-agent-hash.ts';

/** A request to explain, with assumptions about facts that exist only in a running installation. */
export interface ExplainQuestion {
  readonly body: string;
  /** Name of the gateway's site; empty for a caller of `POST /validate`. */
  readonly site: string;
  /** Assume that the visitor has a session that passed its challenge, or one that was only issued. */
  readonly session?: 'verified' | 'issued' | undefined;
  /** Assume that every budget is used up. */
  readonly overBudget?: boolean;
}

/** Explains why a request gets its answer. It is plain data, with the names of the contract and of guard.yaml. */
export interface Explanation {
  readonly organisation: string;
  readonly site: string;
  readonly facts: ExplainedFacts;
  readonly findings: readonly {
    readonly reason: Reason;
    readonly category: Category;
    /** Undefined for a reason that is not a finding, such as a malformed upload. */
    readonly strength: Strength | undefined;
    readonly group: Group | undefined;
    readonly meaning: string;
  }[];
  /** The result of detection: clean, `ask` or `reject`. */
  readonly weighed: Weighed;
  readonly rules: readonly {
    readonly name: string;
    readonly built_in: boolean;
    readonly matched: boolean;
    /** The directives that the rule sets, as in guard.yaml. */
    readonly sets: Readonly<Partial<Record<DirectiveName, unknown>>>;
    readonly decides: readonly DirectiveName[];
  }[];
  readonly verdict: {
    readonly concluded: DecisionEvent['decision'];
    readonly enforced: Action;
    /** Name of the rule that decided; empty when no rule did. */
    readonly rule: string;
    readonly reasons: readonly string[];
    readonly monitor: boolean;
    readonly observe: boolean;
  };
  /** The response of contract 2.2. It contains only the length of the page, because the page differs each time. */
  readonly answer: Omit<ValidateResponse, 'response_html'> & { readonly body_bytes: number };
}

export type Explained =
  | { readonly kind: 'explained'; readonly explanation: Explanation }
  | { readonly kind: 'error'; readonly type: ValidateErrorType; readonly message: string };

/** Facts about a decision, noted while it is made. */
interface Trace {
  seen: { readonly facts: Facts; readonly findings: LazyFindings } | undefined;
  readonly matched: Set<Rule>;
}

/**
 * Makes the decision and explains it. Runs the same stages as for a visitor, but each rule notes whether it matched,
 * and the store never changes. Nothing is recorded, counted or stored.
 */
export async function explain(
  question: ExplainQuestion,
  policy: Policy,
  engine: Engine,
): Promise<Explained> {
  const parsedBody = parseValidateBody(question.body);
  if (parsedBody.kind === 'error') return parsedBody;
  const request =
    question.session === undefined
      ? parsedBody.request
      : { ...parsedBody.request, cookie: engine.ids.mint(policy.organisation) };
  const trace: Trace = { seen: undefined, matched: new Set() };
  const result = await validate(
    request,
    withTracing(policy, trace),
    { site: question.site, via: 'in-process', uploadUrl: '/.guard/verify', ipFrom: 'caller' },
    { ...engine, store: readOnlyStore(engine.store, question, request, policy) },
  );
  if (result.kind === 'error') {
    return { kind: 'error', type: result.type, message: result.message ?? '' };
  }
  const { event } = result;
  const { seen } = trace;
  // Every policy has the built-in rule, so at least one rule has noted the facts.
  if (seen === undefined) throw new Error('a decision left no trace');
  const explanation: Explanation = {
    organisation: policy.organisation,
    site: question.site,
    facts: explainFacts(seen.facts),
    ...explainFindings(seen.findings.all(), seen.facts, policy.strengths),
    rules: explainRules(policy, seen, trace.matched),
    verdict: {
      concluded: event.decision,
      enforced: event.action,
      rule: event.rule,
      reasons: event.blockReasons,
      monitor: event.monitor,
      observe: event.observe,
    },
    answer: withoutBody(result.response),
  };
  return { kind: 'explained', explanation };
}

function withTracing(policy: Policy, trace: Trace): Policy {
  const list = policy.rules.list.map(({ holds, ...compiled }) => ({
    ...compiled,
    holds: (facts: Facts, findings: LazyFindings) => {
      trace.seen = { facts, findings };
      const isMatch = holds(facts, findings);
      if (isMatch) trace.matched.add(compiled.rule);
      return isMatch;
    },
  }));
  // Session limits and pressure would count the request, so both are left out.
  const rules = { ...policy.rules, list };
  return { ...policy, rules, sessionLimits: undefined, pressure: undefined };
}

/**
 * A store that never changes. With `overBudget` in the question all its budgets are used up, and otherwise all are
 * full.
 */
function readOnlyStore(
  store: SessionStore,
  { session, overBudget = false }: ExplainQuestion,
  request: ValidateRequest,
  { organisation }: Policy,
): SessionStore {
  const assumedSession: Session | undefined =
    session === 'verified'
      ? {
          organisation,
          state: 'verified',
          reasons: [],
          userAgentHash: hashUserAgent(headerOf(request, 'user-agent')),
          network: '',
          client: '',
          judgedAt: 0,
        }
      : undefined;
  const waitOf = ({ perMs, requests }: Budget) => (overBudget ? perMs / requests : 0);
  const waitOfAll = (charges: readonly Charge[]) =>
    Math.max(0, ...charges.map(({ budget }) => waitOf(budget)));
  return {
    session: (id) => (session === undefined ? store.session(id) : assumedSession),
    keepSession: () => undefined,
    spend: () => false,
    take: (_name, _subject, budget) => waitOf(budget),
    takeSync: (_name, _subject, budget) => waitOf(budget),
    takeInProcess: (_name, charges) => waitOfAll(charges),
    giveBackInProcess: () => undefined,
    takeAll: (_name, charges) => waitOfAll(charges),
    remember: () => undefined,
    // Only hits of traps come from the real store.
    remembers: (name, subject) =>
      name.startsWith(TRAP_PREFIX) ? store.remembers(name, subject) : overBudget,
    close: () => Promise.resolve(),
  };
}

function headerOf({ headers = {} }: ValidateRequest, name: string): string {
  return Object.entries(headers).find(([field]) => field.toLowerCase() === name)?.[1] ?? '';
}

function explainFindings(
  findings: readonly Reason[],
  { session }: Facts,
  strengths: Strengths,
): Pick<Explanation, 'findings' | 'weighed'> {
  return {
    findings: findings.map((reason) => {
      const { category, meaning } = reasons[reason];
      const weight = strengths.of(reason);
      return { reason, category, strength: weight?.strength, group: weight?.group, meaning };
    }),
    weighed: weigh(findings, session.state === 'verified', strengths),
  };
}

function explainRules(
  policy: Policy,
  { facts, findings }: NonNullable<Trace['seen']>,
  matchedRules: ReadonlySet<Rule>,
): Explanation['rules'] {
  const directives = findDirectives(policy.rules, facts, findings);
  return policy.rules.list.map(({ rule }) => ({
    name: rule.name,
    built_in: rule === allowlistRule || rule.name.startsWith(PRESET_PREFIX),
    matched: matchedRules.has(rule),
    sets: setBy(rule),
    decides: matchedRules.has(rule) ? directivesOf(rule, directives) : [],
  }));
}

function withoutBody({ response_html = '', ...rest }: ValidateResponse): Explanation['answer'] {
  return { ...rest, body_bytes: Buffer.byteLength(response_html, 'base64') };
}
