import type { Clock, MaybePromise, RequestEnded, SessionStore } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import type { Rule } from '@guard/config/settings/sections/rule';
import { afterWith } from '../session/after-with.ts';
import { isShortPass } from '../session/short-pass.ts';
import type { Facts } from '../request/facts.ts';
import { isPage } from '../request/representation.ts';
import type { LazyFindings } from '../rules/compile-match.ts';
import type { Directives } from '../rules/direct.ts';
import type { FreePages } from './free-pages.ts';
import type { Pressure } from './pressure/pressure.ts';
import type { Passed, SessionLimits } from './session-limits.ts';
import type { Strengths } from './strengths.ts';
import { HIT_AGAIN_WAIT_MS, type Standing, type Traps } from './traps.ts';
import type { Judgement, Verdict } from './verdict.ts';
import { weigh } from './weigh.ts';

/** One request, and what decides about it. */
export interface Deciding {
  readonly directives: Directives;
  readonly facts: Facts;
  readonly findings: LazyFindings;
  readonly strengths: Strengths;
  readonly store: SessionStore;
  /** Undefined where `challenge: auto` asks only visitors who are uncertain. */
  readonly freePages: FreePages | undefined;
  /** Undefined where free pages last under pressure too. */
  readonly pressure: Pressure | undefined;
  /** Name of the gateway's site; empty for a caller of `POST /validate`. */
  readonly site: string;
  /** Undefined where a passed challenge is good for everything. */
  readonly sessionLimits: SessionLimits | undefined;
  /** Undefined where no trap is set. */
  readonly traps: Traps | undefined;
  readonly clock: Clock;
  /** The caller says how the request ended. */
  readonly endIsTold: boolean;
}

/**
 * Directives and findings to a judgement. In this order: a rule's block, its rate limit, a rule's
 * allow, what detection found, the challenge. Nothing set, nothing enforced.
 */
export function decide(deciding: Deciding): MaybePromise<Judgement> {
  const { directives, facts, findings, store } = deciding;
  const { verdict, rateLimit } = directives;
  if (verdict?.value === 'block') {
    return settle(ruleBlock(verdict.by, facts, findings.all()), deciding);
  }
  if (rateLimit === undefined) return conclude(0, deciding);
  return afterWith(rateLimit.value(facts, store), deciding, conclude);
}

/** The judgement of a request that no rule blocks; above 0, `retryAfterMs` says that its budget is spent. */
function conclude(retryAfterMs: number, deciding: Deciding): MaybePromise<Judgement> {
  const { rateLimit } = deciding.directives;
  if (rateLimit === undefined || retryAfterMs === 0) {
    return settle(sprung(detect(deciding), deciding), deciding);
  }
  const { by } = rateLimit;
  return settle({ kind: 'limited', reasons: ['rate_limit_exceeded'], by, retryAfterMs }, deciding);
}

/** A rule's own block. A block that is aimed at crawlers has a reason of its own. */
function ruleBlock(by: Rule, facts: Facts, findings: readonly Reason[]): Verdict {
  const primary: Reason = facts.crawler ? 'crawler_blocked' : 'policy_block';
  return { kind: 'block', reasons: [...new Set([primary, ...findings])], by };
}

/** What a rule's allow and detection say; undefined for a visitor whom nothing speaks against. */
function detect({ directives, facts, findings, strengths }: Deciding): Verdict | undefined {
  const { verdict, detect: detection, challenge } = directives;
  if (verdict?.value === 'allow') return { kind: 'allow', reasons: [], by: verdict.by };
  if (detection?.value !== true) return undefined;
  const reasons = findings.all();
  const weighed = weigh(reasons, facts.session.state === 'verified', strengths);
  if (weighed === 'reject') return { kind: 'block', reasons, by: detection.by };
  if (weighed !== 'ask' || challenge?.value === 'never') return undefined;
  // Contract 3: after an upload the next decision is allow or block. To ask a rejected session again
  // would send its visitor round in a loop, and let a driver try its luck.
  const answered = facts.session.state === 'rejected';
  return { kind: answered ? 'block' : 'challenge', reasons, by: detection.by };
}

/** A request for a trap is challenged. What else was found keeps its own verdict. */
function sprung(found: Verdict | undefined, deciding: Deciding): Verdict | undefined {
  const { directives, facts, traps, store, clock } = deciding;
  if (traps?.isHit(facts) !== true) return found;
  const by = challengeRule(directives);
  if (by === undefined || !traps.spring(facts, store, clock)) return found;
  return found
    ? { ...found, reasons: [...found.reasons, 'trap_hit'] }
    : { kind: 'challenge', reasons: ['trap_hit'], by };
}

/** `found` is what is concluded so far. Undefined, or lifted by monitor mode, it leaves room for a challenge. */
function settle(found: Verdict | undefined, deciding: Deciding): MaybePromise<Judgement> {
  const { monitor } = deciding.directives;
  const isLifted = monitor && (found?.kind === 'block' || found?.kind === 'limited');
  if (found && !isLifted) return { concluded: found, enforced: found, monitor };
  return afterWith(challengeLeft(deciding), { found, deciding }, finish);
}

interface Unfinished {
  readonly found: Verdict | undefined;
  readonly deciding: Deciding;
}

/**
 * Monitor mode (contract 1): a terminal block is enforced as `allow` with its reasons; a challenge is
 * left as it is, also the one that a lifted block had stood in front of.
 */
function finish({ verdict, ended }: Left, { found, deciding }: Unfinished): Judgement {
  const { detect: detection, challenge: asked, monitor } = deciding.directives;
  const by = (found ?? verdict)?.by ?? (detection ?? asked)?.by;
  const reasons = allOf(found?.reasons, verdict?.reasons);
  const isEnforced = verdict !== undefined && (verdict.kind === 'challenge' || !monitor);
  const enforced: Verdict = isEnforced ? { ...verdict, reasons } : { kind: 'allow', reasons, by };
  const concluded = found ?? verdict;
  return { concluded: concluded ? { ...concluded, reasons } : enforced, enforced, monitor, ended };
}

function allOf(found: readonly Reason[] | undefined, asked: readonly Reason[] | undefined) {
  if (found === undefined || asked === undefined) return found ?? asked ?? NO_REASONS;
  return [...new Set([...found, ...asked])];
}

const NO_REASONS: readonly Reason[] = [];

/** What the challenge and the limits of a session want of a visitor whom nothing else stops. */
interface Left {
  readonly verdict?: Exclude<Verdict, { kind: 'allow' }>;
  /** As Judgement.ended. */
  readonly ended?: RequestEnded | undefined;
}

const NOTHING_LEFT: Left = {};

/**
 * Each session passes `always` once. `auto` asks when the free pages are used up, or end under pressure. A visitor whose
 * block monitor mode lifts is asked like any other: else the worst clients had the site without a limit.
 */
function challengeLeft(deciding: Deciding): MaybePromise<Left> {
  const { directives, facts } = deciding;
  const by = challengeRule(directives);
  const isAlways = directives.challenge?.value === 'always';
  if (by === undefined) return NOTHING_LEFT;
  switch (facts.session.state) {
    case 'rejected':
      // In monitor mode it has what a doubtful one has.
      if (directives.monitor) return takeOfSession(by, facts.session, deciding);
      // Contract 3: after an upload the next decision is allow or block, also where nothing else detects.
      return { verdict: { kind: 'block', reasons: deciding.findings.all(), by } };
    case 'verified':
      return takeOfVerified(by, facts.session, deciding);
    case 'issued':
    case 'none':
      if (isAlways) return { verdict: { kind: 'challenge', reasons: lostBy(facts), by } };
      return unlessTrapped(by, deciding);
  }
}

/** The rule for which a visitor may be challenged; undefined where no rule does, or one lets every request through. */
function challengeRule({ verdict, challenge, detect: detection }: Directives): Rule | undefined {
  if (verdict !== undefined || challenge?.value === 'never') return undefined;
  return challenge?.by ?? (detection?.value === true ? detection.by : undefined);
}

/** Why a visitor is asked again: too weak a finding to be weighed, and what an operator wants to know. */
function lostBy({ session }: Facts): readonly Reason[] {
  return session.state === 'issued' && session.lost !== undefined ? [session.lost] : NO_REASONS;
}

function takeOfVerified(by: Rule, passed: Passed, deciding: Deciding): Left {
  const { facts, freePages, store } = deciding;
  const left = takeOfSession(by, passed, deciding);
  // A short pass ends while its page is open, which goes on to ask for data.
  if (left.verdict === undefined && isShortPass(passed.session) && isPage(facts)) {
    freePages?.remember(facts, store);
  }
  return left;
}

/** A session that passed has limits, so that one pass is worth no more than a person needs. */
function takeOfSession(by: Rule, passed: Passed, deciding: Deciding): Left {
  const { sessionLimits } = deciding;
  if (sessionLimits === undefined) return NOTHING_LEFT;
  const allowance = sessionLimits.take(passed, deciding);
  switch (allowance.kind) {
    case 'within':
      return allowance;
    case 'used_up':
      return { verdict: { kind: 'challenge', reasons: [allowance.reason], by } };
    case 'wait': {
      const reasons = ['session_limit_exceeded'] as const;
      // Monitor mode lifts a limit. A session that did not pass is asked again instead.
      if (passed.session.state === 'rejected') {
        return { verdict: { kind: 'challenge', reasons, by } };
      }
      return { verdict: { kind: 'limited', reasons, by, retryAfterMs: allowance.waitMs } };
    }
  }
}

/** A visitor who asked for a trap lately has no free pages. Both go to the store together, to save waiting time. */
function unlessTrapped(by: Rule, deciding: Deciding): MaybePromise<Left> {
  const { traps, facts, store } = deciding;
  if (traps === undefined) return takeFreePage(by, deciding);
  const standing = traps.standing(facts, store);
  const left = takeFreePage(by, deciding);
  return afterWith(standing, { by, left }, afterTrap);
}

function afterTrap(
  standing: Standing,
  { by, left }: { readonly by: Rule; readonly left: MaybePromise<Left> },
): MaybePromise<Left> {
  const reasons = ['trap_hit'] as const;
  switch (standing) {
    case 'free':
      return left;
    case 'hit':
      return endedAs({ kind: 'challenge', reasons, by }, left);
    case 'hit_again':
      return endedAs({ kind: 'limited', reasons, by, retryAfterMs: HIT_AGAIN_WAIT_MS }, left);
  }
}

/** Instead of what is left. Nothing of that waits for the origin any more. */
function endedAs(verdict: Exclude<Verdict, { kind: 'allow' }>, left: MaybePromise<Left>) {
  return afterWith(left, verdict, ({ ended }, instead): Left => {
    ended?.('other');
    return { verdict: instead };
  });
}

function takeFreePage(by: Rule, deciding: Deciding): MaybePromise<Left> {
  const { facts, site, store, freePages, pressure, clock } = deciding;
  if (freePages === undefined) return NOTHING_LEFT;
  const cause = pressure?.on(facts, site);
  if (cause !== undefined) return challengeFor(cause, by, facts);
  const nowMs = clock();
  const few = pressure?.isOnClient(facts, nowMs) === true || freePages.areFew(facts, nowMs);
  return afterWith(freePages.take(facts, store, few), by, (taken) => {
    if (taken === 'spent') return challengeFor('free_pages_used', by, facts);
    const begun = pressure?.take(facts, site);
    if (begun !== undefined) return challengeFor(begun, by, facts);
    return (
      letThrough(taken, freePages, few, deciding) ?? challengeFor('free_pages_used', by, facts)
    );
  });
}

function challengeFor(reason: Reason, by: Rule, facts: Facts): Left {
  return { verdict: { kind: 'challenge', reasons: [reason, ...lostBy(facts)], by } };
}

/** Undefined where the waiting requests for data could all become documents, and this one would be too many. */
function letThrough(
  taken: 'page' | 'data',
  freePages: FreePages,
  few: boolean,
  { facts, site, store, pressure, clock, endIsTold }: Deciding,
): Left | undefined {
  if (!endIsTold) return NOTHING_LEFT;
  const onPage = () => pressure?.takeDocument(facts, site);
  const ended =
    taken === 'data' ? freePages.awaitEnd(facts, store, clock(), few, onPage) : undefined;
  if (taken === 'data' && ended === undefined) return undefined;
  return { ended: pressure ? pressure.watch(facts, site, ended) : ended };
}
