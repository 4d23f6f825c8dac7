import type { Clock, MaybePromise, SessionStore } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import type { Rule } from '@guard/config/settings/sections/rule';
import { afterWith } from '../session/after-with.ts';
import { isShortPass } from '../session/short-pass.ts';
import type { Facts } from '../request/facts.ts';
import { isPage } from '../request/representation.ts';
import type { LazyFindings } from '../rules/compile-match.ts';
import type { Directives } from '../rules/directives.ts';
import type { AnswerWatch } from './counts/answer-watch.ts';
import type { DocumentTerms } from './free-pages/data-answers.ts';
import type { FreePages } from './free-pages/free-pages.ts';
import { withinPreset } from './free-pages/pages-of-presets.ts';
import type { Pressure } from './pressure/pressure.ts';
import type { JudgedSession, SessionLimits } from './passes/session-limits.ts';
import type { Strengths } from './strengths.ts';
import { HIT_AGAIN_WAIT_MS, type Standing, type Traps } from './traps.ts';
import type { Judgement, Verdict } from './verdict.ts';
import { weigh } from './weigh.ts';

/** One request, and all data that its verdict depends on. */
export interface DecisionInput {
  readonly directives: Directives;
  readonly facts: Facts;
  readonly findings: LazyFindings;
  readonly strengths: Strengths;
  readonly store: SessionStore;
  /** Undefined when `challenge: auto` challenges only uncertain visitors. */
  readonly freePages: FreePages | undefined;
  /** Undefined when pressure does not end free pages. */
  readonly pressure: Pressure | undefined;
  /** Name of the gateway's site; empty for a caller of `POST /validate`. */
  readonly site: string;
  /** Undefined when a passed challenge has no limits. */
  readonly sessionLimits: SessionLimits | undefined;
  /** Undefined when the organisation has no traps. */
  readonly traps: Traps | undefined;
  readonly clock: Clock;
  /** Whether the caller will report the end of the request. */
  readonly reportsEnd: boolean;
  /** Whether the caller will also report the kind of the answer. */
  readonly seesAnswer: boolean;
  /** Like Judgement.watch, for a request that a preset allows. */
  readonly watchOfPreset?: AnswerWatch | undefined;
}

/**
 * Makes a judgement from directives and findings. The order is: a rule's block, a rate limit, a rule's allow,
 * detection, the challenge. A directive that no rule sets has no effect.
 */
export function decide(input: DecisionInput): MaybePromise<Judgement> {
  const { directives, facts, findings, store } = input;
  const { verdict, rateLimit } = directives;
  if (verdict?.value === 'block') {
    return settle(ruleBlock(verdict.by, facts, findings.all()), input);
  }
  if (rateLimit === undefined) return conclude(0, input);
  return afterWith(rateLimit.value(facts, store), input, conclude);
}

/** The judgement of a request that no rule blocks. `retryAfterMs` is above 0 when the rate limit is used up. */
function conclude(retryAfterMs: number, input: DecisionInput): MaybePromise<Judgement> {
  const { rateLimit, monitor } = input.directives;
  if (rateLimit === undefined || retryAfterMs === 0) {
    return afterWith(withinPreset(input), undefined, concludeWithin);
  }
  const { by } = rateLimit;
  const limit: Verdict = { kind: 'limited', reasons: ['rate_limit_exceeded'], by, retryAfterMs };
  if (!monitor) return settle(limit, input);
  // In monitor mode the request passes the rate limit, so the limits of a preset still apply.
  return afterWith(withinPreset(input), limit, (next, verdict) => settle(verdict, next));
}

function concludeWithin(input: DecisionInput): MaybePromise<Judgement> {
  return settle(addTrapHit(detect(input), input), input);
}

/** The verdict of a rule's block. A blocked crawler has its own reason. */
function ruleBlock(rule: Rule, facts: Facts, findings: readonly Reason[]): Verdict {
  const primary: Reason = facts.crawler ? 'crawler_blocked' : 'policy_block';
  return { kind: 'block', reasons: [...new Set([primary, ...findings])], by: rule };
}

/** The verdict of a rule's allow, or of detection. Undefined when neither decides. */
function detect({ directives, facts, findings, strengths }: DecisionInput): Verdict | undefined {
  const { verdict, detect: detection, challenge } = directives;
  if (verdict?.value === 'allow') return { kind: 'allow', reasons: [], by: verdict.by };
  if (detection?.value !== true) return undefined;
  const reasons = findings.all();
  const assessment = weigh(reasons, facts.session.state === 'verified', strengths);
  if (assessment === 'reject') return { kind: 'block', reasons, by: detection.by };
  if (assessment !== 'ask' || challenge?.value === 'never') return undefined;
  // Contract 3: after an upload the next decision is allow or block. With another challenge, the browser of a rejected
  // session would loop, and a program could try many times.
  const hasAnswered = facts.session.state === 'rejected';
  return { kind: hasAnswered ? 'block' : 'challenge', reasons, by: detection.by };
}

/** Challenges a request that hits a trap. A verdict that is already there stays, and only gets the reason. */
function addTrapHit(verdict: Verdict | undefined, input: DecisionInput): Verdict | undefined {
  const { directives, facts, traps, store, clock } = input;
  if (traps?.isHit(facts) !== true) return verdict;
  const rule = challengeRule(directives);
  if (rule === undefined || !traps.spring(facts, store, clock)) return verdict;
  return verdict
    ? { ...verdict, reasons: [...verdict.reasons, 'trap_hit'] }
    : { kind: 'challenge', reasons: ['trap_hit'], by: rule };
}

/** Makes the judgement. Without a verdict so far, or when monitor mode lifts it, Guard can still challenge. */
function settle(verdict: Verdict | undefined, input: DecisionInput): MaybePromise<Judgement> {
  const { monitor } = input.directives;
  const isLifted = monitor && (verdict?.kind === 'block' || verdict?.kind === 'limited');
  if (verdict && !isLifted) {
    return { concluded: verdict, enforced: verdict, monitor, watch: input.watchOfPreset };
  }
  return afterWith(askOrPass(input), { earlier: verdict, input }, finish);
}

/**
 * Applies monitor mode (contract 1): a block becomes `allow` with its reasons. A challenge is still enforced, even
 * after a lifted block.
 */
function finish(
  { verdict, watch }: Outcome,
  { earlier, input }: { readonly earlier: Verdict | undefined; readonly input: DecisionInput },
): Judgement {
  const { detect: detection, challenge, monitor } = input.directives;
  const by = (earlier ?? verdict)?.by ?? (detection ?? challenge)?.by;
  const reasons = mergeReasons(earlier?.reasons, verdict?.reasons);
  const isEnforced = verdict !== undefined && (verdict.kind === 'challenge' || !monitor);
  const enforced: Verdict = isEnforced ? { ...verdict, reasons } : { kind: 'allow', reasons, by };
  const concluded = earlier ?? verdict;
  return {
    concluded: concluded ? { ...concluded, reasons } : enforced,
    enforced,
    monitor,
    watch: watch ?? input.watchOfPreset,
  };
}

function mergeReasons(first: readonly Reason[] | undefined, second: readonly Reason[] | undefined) {
  if (first === undefined || second === undefined) return first ?? second ?? NO_REASONS;
  return [...new Set([...first, ...second])];
}

const NO_REASONS: readonly Reason[] = [];

/** The result of the challenge and the session limits, for a visitor whom no other check stops. */
interface Outcome {
  readonly verdict?: Exclude<Verdict, { kind: 'allow' }>;
  /** Like Judgement.watch. */
  readonly watch?: AnswerWatch | undefined;
}

const NOT_CHALLENGED: Outcome = {};

/**
 * With `always`, each session has to pass once. With `auto`, a visitor is challenged when the free pages are used up or
 * when pressure ends them. This also applies to visitors whose block monitor mode lifts. Otherwise they would get
 * unlimited pages.
 */
function askOrPass(input: DecisionInput): MaybePromise<Outcome> {
  const { directives, facts } = input;
  const rule = challengeRule(directives);
  const isAlways = directives.challenge?.value === 'always';
  if (rule === undefined) return NOT_CHALLENGED;
  switch (facts.session.state) {
    case 'rejected':
      // In monitor mode a rejected session has the limits of a short pass.
      if (directives.monitor) return takeOfSession(rule, facts.session, input);
      // Contract 3: after an upload the next decision is allow or block, even without detection.
      return { verdict: { kind: 'block', reasons: input.findings.all(), by: rule } };
    case 'verified':
      return takeOfVerified(rule, facts.session, input);
    case 'issued':
    case 'none':
      if (isAlways) return { verdict: { kind: 'challenge', reasons: lostBy(facts), by: rule } };
      return unlessTrapped(rule, input);
  }
}

/** The rule that can challenge the visitor. Undefined when no rule does, or when a rule sets a verdict. */
function challengeRule({ verdict, challenge, detect: detection }: Directives): Rule | undefined {
  if (verdict !== undefined || challenge?.value === 'never') return undefined;
  return challenge?.by ?? (detection?.value === true ? detection.by : undefined);
}

/** The reason why an earlier pass is not valid any more. It has no points, and is only recorded for the operator. */
function lostBy({ session }: Facts): readonly Reason[] {
  return session.state === 'issued' && session.lost !== undefined ? [session.lost] : NO_REASONS;
}

function takeOfVerified(rule: Rule, judgedSession: JudgedSession, input: DecisionInput): Outcome {
  const { facts, freePages, store } = input;
  const outcome = takeOfSession(rule, judgedSession, input);
  if (outcome.verdict === undefined && isPage(facts)) {
    // A short pass can end while a page is still open. Guard remembers the page, so that the page can still load data.
    if (isShortPass(judgedSession.session)) freePages?.rememberPage(facts, store);
    else freePages?.openForPass(judgedSession.id, facts, store);
  }
  return outcome;
}

/** Applies the session limits, so that one pass allows no more than a person needs. */
function takeOfSession(rule: Rule, judgedSession: JudgedSession, input: DecisionInput): Outcome {
  const { sessionLimits } = input;
  if (sessionLimits === undefined) return NOT_CHALLENGED;
  const allowance = sessionLimits.take(judgedSession, input);
  switch (allowance.kind) {
    case 'within':
      return allowance;
    case 'used_up':
      return { verdict: { kind: 'challenge', reasons: [allowance.reason], by: rule } };
    case 'wait': {
      const reasons = ['session_limit_exceeded'] as const;
      // Monitor mode would lift a limit, so a rejected session gets a challenge and no limit.
      if (judgedSession.session.state === 'rejected') {
        return { verdict: { kind: 'challenge', reasons, by: rule } };
      }
      return { verdict: { kind: 'limited', reasons, by: rule, retryAfterMs: allowance.waitMs } };
    }
  }
}

/** Challenges a visitor who hit a trap recently. The store looks up traps and free pages at the same time. */
function unlessTrapped(rule: Rule, input: DecisionInput): MaybePromise<Outcome> {
  const { traps, facts, store } = input;
  if (traps === undefined) return takeFreePage(rule, input);
  const standing = traps.standing(facts, store);
  const outcome = takeFreePage(rule, input);
  return afterWith(standing, { by: rule, outcome }, afterTrap);
}

function afterTrap(
  standing: Standing,
  { by, outcome }: { readonly by: Rule; readonly outcome: MaybePromise<Outcome> },
): MaybePromise<Outcome> {
  const reasons = ['trap_hit'] as const;
  switch (standing) {
    case 'free':
      return outcome;
    case 'hit':
      return endWith({ kind: 'challenge', reasons, by }, outcome);
    case 'hit_again':
      return endWith({ kind: 'limited', reasons, by, retryAfterMs: HIT_AGAIN_WAIT_MS }, outcome);
  }
}

/** Replaces the result by another verdict. Also reports that the request does not wait for the origin any more. */
function endWith(verdict: Exclude<Verdict, { kind: 'allow' }>, outcome: MaybePromise<Outcome>) {
  return afterWith(outcome, verdict, ({ watch }, instead): Outcome => {
    watch?.ended('other');
    return { verdict: instead };
  });
}

function takeFreePage(rule: Rule, input: DecisionInput): MaybePromise<Outcome> {
  const { facts, site, store, freePages, pressure, sessionLimits, clock, seesAnswer } = input;
  if (freePages === undefined) return NOT_CHALLENGED;
  const newCause = pressure?.causeFor(facts, site);
  if (newCause !== undefined) return challengeFor(newCause, rule, facts);
  const nowMs = clock();
  const terms: DocumentTerms = {
    isInFlood:
      pressure?.isOnClient(facts, nowMs) === true ||
      freePages.answers.documents.isShapeSpent(facts, nowMs),
    areRare: sessionLimits?.documentsAsData.areRare(site) === true,
  };
  return afterWith(freePages.take(facts, store, terms, seesAnswer), rule, (freePage) => {
    if (freePage === 'spent') return challengeFor('free_pages_used', rule, facts);
    const cause = freePage === 'page' ? pressure?.take(facts, site) : undefined;
    if (cause !== undefined) return challengeFor(cause, rule, facts);
    const outcome = letThrough(freePage, freePages, terms, input);
    return outcome ?? challengeFor('free_pages_used', rule, facts);
  });
}

function challengeFor(reason: Reason, rule: Rule, facts: Facts): Outcome {
  return { verdict: { kind: 'challenge', reasons: [reason, ...lostBy(facts)], by: rule } };
}

/** The result for a free request. Undefined when the request could take a document, and none is left. */
function letThrough(
  freePage: 'page' | 'data' | 'media',
  freePages: FreePages,
  terms: DocumentTerms,
  { facts, site, store, pressure, clock, reportsEnd }: DecisionInput,
): Outcome | undefined {
  if (!reportsEnd) return NOT_CHALLENGED;
  const onPage = () => pressure?.take(facts, site);
  if (freePage === 'page') return { watch: pressure?.watch(facts, site) };
  const watch =
    freePage === 'media'
      ? freePages.answers.watchMedia(facts, store, clock(), onPage)
      : freePages.answers.watchData(facts, store, clock(), terms, onPage);
  return watch && { watch: pressure ? pressure.watch(facts, site, watch) : watch };
}
