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
import { withinPreset } from './pages-of-presets.ts';
import type { Pressure } from './pressure/pressure.ts';
import type { Passed, SessionLimits } from './session-limits.ts';
import type { Strengths } from './strengths.ts';
import { HIT_AGAIN_WAIT_MS, type Standing, type Traps } from './traps.ts';
import type { Judgement, Verdict } from './verdict.ts';
import { weigh } from './weigh.ts';

/** One request, and everything that its verdict depends on. */
export interface Deciding {
  readonly directives: Directives;
  readonly facts: Facts;
  readonly findings: LazyFindings;
  readonly strengths: Strengths;
  readonly store: SessionStore;
  /** Undefined when `challenge: auto` asks only uncertain visitors. */
  readonly freePages: FreePages | undefined;
  /** Undefined when pressure does not end free pages. */
  readonly pressure: Pressure | undefined;
  /** Name of the gateway's site; empty for a caller of `POST /validate`. */
  readonly site: string;
  /** Undefined when a passed challenge has no limits. */
  readonly sessionLimits: SessionLimits | undefined;
  /** Undefined when there are no traps. */
  readonly traps: Traps | undefined;
  readonly clock: Clock;
  /** Whether the caller will report how the request ended. */
  readonly reportsEnd: boolean;
  /** Whether that report says what the answer was. */
  readonly seesAnswer: boolean;
  /** As Judgement.ended, for a request that a preset lets through. */
  readonly endOfPreset?: RequestEnded | undefined;
}

/**
 * Makes a judgement from directives and findings. The order is: a rule's block, a rate limit, a rule's allow,
 * detection, the challenge. When no rule sets a directive, nothing is enforced.
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

/** The judgement of a request that no rule blocks. `retryAfterMs` is above 0 when its budget is spent. */
function conclude(retryAfterMs: number, deciding: Deciding): MaybePromise<Judgement> {
  const { rateLimit, monitor } = deciding.directives;
  if (rateLimit === undefined || retryAfterMs === 0) {
    return afterWith(withinPreset(deciding), undefined, concludeWithin);
  }
  const { by } = rateLimit;
  const limited: Verdict = { kind: 'limited', reasons: ['rate_limit_exceeded'], by, retryAfterMs };
  if (!monitor) return settle(limited, deciding);
  // The request passes all the same, so the other bounds of a preset hold.
  return afterWith(withinPreset(deciding), limited, (within, found) => settle(found, within));
}

function concludeWithin(deciding: Deciding): MaybePromise<Judgement> {
  return settle(withTrapHit(detect(deciding), deciding), deciding);
}

/** A rule's own block. A block that is aimed at crawlers has a reason of its own. */
function ruleBlock(by: Rule, facts: Facts, findings: readonly Reason[]): Verdict {
  const primary: Reason = facts.crawler ? 'crawler_blocked' : 'policy_block';
  return { kind: 'block', reasons: [...new Set([primary, ...findings])], by };
}

/** The verdict of a rule's allow, or of detection. Undefined when neither decides. */
function detect({ directives, facts, findings, strengths }: Deciding): Verdict | undefined {
  const { verdict, detect: detection, challenge } = directives;
  if (verdict?.value === 'allow') return { kind: 'allow', reasons: [], by: verdict.by };
  if (detection?.value !== true) return undefined;
  const reasons = findings.all();
  const weighed = weigh(reasons, facts.session.state === 'verified', strengths);
  if (weighed === 'reject') return { kind: 'block', reasons, by: detection.by };
  if (weighed !== 'ask' || challenge?.value === 'never') return undefined;
  // Contract 3: after an upload the next decision is allow or block. A rejected session that was challenged again
  // would loop, and a program could try many times.
  const answered = facts.session.state === 'rejected';
  return { kind: answered ? 'block' : 'challenge', reasons, by: detection.by };
}

/** A request for a trap is challenged. A verdict that was found before stays. */
function withTrapHit(found: Verdict | undefined, deciding: Deciding): Verdict | undefined {
  const { directives, facts, traps, store, clock } = deciding;
  if (traps?.isHit(facts) !== true) return found;
  const by = challengeRule(directives);
  if (by === undefined || !traps.spring(facts, store, clock)) return found;
  return found
    ? { ...found, reasons: [...found.reasons, 'trap_hit'] }
    : { kind: 'challenge', reasons: ['trap_hit'], by };
}

/** `found` is the verdict so far. If it is undefined, or lifted by monitor mode, a challenge is still possible. */
function settle(found: Verdict | undefined, deciding: Deciding): MaybePromise<Judgement> {
  const { monitor } = deciding.directives;
  const isLifted = monitor && (found?.kind === 'block' || found?.kind === 'limited');
  if (found && !isLifted) {
    return { concluded: found, enforced: found, monitor, ended: deciding.endOfPreset };
  }
  return afterWith(askOrPass(deciding), { found, deciding }, finish);
}

interface Unfinished {
  readonly found: Verdict | undefined;
  readonly deciding: Deciding;
}

/**
 * Monitor mode (contract 1): a block is enforced as `allow` with its reasons. A challenge is enforced as it is, even
 * when a lifted block would have come before it.
 */
function finish({ verdict, ended }: Asked, { found, deciding }: Unfinished): Judgement {
  const { detect: detection, challenge: asked, monitor } = deciding.directives;
  const by = (found ?? verdict)?.by ?? (detection ?? asked)?.by;
  const reasons = allOf(found?.reasons, verdict?.reasons);
  const isEnforced = verdict !== undefined && (verdict.kind === 'challenge' || !monitor);
  const enforced: Verdict = isEnforced ? { ...verdict, reasons } : { kind: 'allow', reasons, by };
  const concluded = found ?? verdict;
  return {
    concluded: concluded ? { ...concluded, reasons } : enforced,
    enforced,
    monitor,
    ended: ended ?? deciding.endOfPreset,
  };
}

function allOf(found: readonly Reason[] | undefined, asked: readonly Reason[] | undefined) {
  if (found === undefined || asked === undefined) return found ?? asked ?? NO_REASONS;
  return [...new Set([...found, ...asked])];
}

const NO_REASONS: readonly Reason[] = [];

/** The verdict of the challenge and of the session limits, for a visitor whom nothing else stops. */
interface Asked {
  readonly verdict?: Exclude<Verdict, { kind: 'allow' }>;
  /** As Judgement.ended. */
  readonly ended?: RequestEnded | undefined;
}

const NOT_CHALLENGED: Asked = {};

/**
 * With `always`, each session has to pass once. With `auto`, a visitor is asked when the free pages are used up, or
 * end under pressure. A visitor whose block is lifted by monitor mode is asked too. Otherwise the worst clients would
 * have no limit.
 */
function askOrPass(deciding: Deciding): MaybePromise<Asked> {
  const { directives, facts } = deciding;
  const by = challengeRule(directives);
  const isAlways = directives.challenge?.value === 'always';
  if (by === undefined) return NOT_CHALLENGED;
  switch (facts.session.state) {
    case 'rejected':
      // In monitor mode a rejected session has the limits of a short pass.
      if (directives.monitor) return takeOfSession(by, facts.session, deciding);
      // Contract 3: after an upload the next decision is allow or block, even without detection.
      return { verdict: { kind: 'block', reasons: deciding.findings.all(), by } };
    case 'verified':
      return takeOfVerified(by, facts.session, deciding);
    case 'issued':
    case 'none':
      if (isAlways) return { verdict: { kind: 'challenge', reasons: lostBy(facts), by } };
      return unlessTrapped(by, deciding);
  }
}

/** The rule that may challenge the visitor. Undefined when no rule does, or when a rule sets a verdict. */
function challengeRule({ verdict, challenge, detect: detection }: Directives): Rule | undefined {
  if (verdict !== undefined || challenge?.value === 'never') return undefined;
  return challenge?.by ?? (detection?.value === true ? detection.by : undefined);
}

/** The reason why an earlier pass does not count. It has no weight, but the operator wants to see it. */
function lostBy({ session }: Facts): readonly Reason[] {
  return session.state === 'issued' && session.lost !== undefined ? [session.lost] : NO_REASONS;
}

function takeOfVerified(by: Rule, passed: Passed, deciding: Deciding): Asked {
  const { facts, freePages, store } = deciding;
  const left = takeOfSession(by, passed, deciding);
  if (left.verdict === undefined && isPage(facts)) {
    // A short pass can end while its page is open. The page is remembered, so that it can still load data.
    if (isShortPass(passed.session)) freePages?.remember(facts, store);
    else freePages?.openForPass(passed.id, facts, store);
  }
  return left;
}

/** Limits the use of a passed session, so that one pass is worth no more than a person needs. */
function takeOfSession(by: Rule, passed: Passed, deciding: Deciding): Asked {
  const { sessionLimits } = deciding;
  if (sessionLimits === undefined) return NOT_CHALLENGED;
  const allowance = sessionLimits.take(passed, deciding);
  switch (allowance.kind) {
    case 'within':
      return allowance;
    case 'used_up':
      return { verdict: { kind: 'challenge', reasons: [allowance.reason], by } };
    case 'wait': {
      const reasons = ['session_limit_exceeded'] as const;
      // Monitor mode would lift a limit. So a rejected session is asked again instead.
      if (passed.session.state === 'rejected') {
        return { verdict: { kind: 'challenge', reasons, by } };
      }
      return { verdict: { kind: 'limited', reasons, by, retryAfterMs: allowance.waitMs } };
    }
  }
}

/** A visitor who hit a trap recently has no free pages. Both questions to the store are asked at the same time. */
function unlessTrapped(by: Rule, deciding: Deciding): MaybePromise<Asked> {
  const { traps, facts, store } = deciding;
  if (traps === undefined) return takeFreePage(by, deciding);
  const standing = traps.standing(facts, store);
  const left = takeFreePage(by, deciding);
  return afterWith(standing, { by, left }, afterTrap);
}

function afterTrap(
  standing: Standing,
  { by, left }: { readonly by: Rule; readonly left: MaybePromise<Asked> },
): MaybePromise<Asked> {
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

/** Replaces the result by another verdict, and reports that the request does not wait for the origin any more. */
function endedAs(verdict: Exclude<Verdict, { kind: 'allow' }>, left: MaybePromise<Asked>) {
  return afterWith(left, verdict, ({ ended }, instead): Asked => {
    ended?.('other');
    return { verdict: instead };
  });
}

function takeFreePage(by: Rule, deciding: Deciding): MaybePromise<Asked> {
  const { facts, site, store, freePages, pressure, clock, seesAnswer } = deciding;
  if (freePages === undefined) return NOT_CHALLENGED;
  const cause = pressure?.on(facts, site);
  if (cause !== undefined) return challengeFor(cause, by, facts);
  const nowMs = clock();
  const few =
    pressure?.isOnClient(facts, nowMs) === true || freePages.documents.areFew(facts, nowMs);
  if (freePages.isFull(facts, nowMs, few)) return challengeFor('free_pages_used', by, facts);
  return afterWith(freePages.take(facts, store, few, seesAnswer), by, (taken) => {
    if (taken === 'spent') return challengeFor('free_pages_used', by, facts);
    const begun = taken === 'page' ? pressure?.take(facts, site) : undefined;
    if (begun !== undefined) return challengeFor(begun, by, facts);
    return (
      letThrough(taken, freePages, few, deciding) ?? challengeFor('free_pages_used', by, facts)
    );
  });
}

function challengeFor(reason: Reason, by: Rule, facts: Facts): Asked {
  return { verdict: { kind: 'challenge', reasons: [reason, ...lostBy(facts)], by } };
}

/** Undefined when too many requests for data or media wait: all of them could turn out to be documents. */
function letThrough(
  taken: 'page' | 'data' | 'media',
  freePages: FreePages,
  few: boolean,
  { facts, site, store, pressure, clock, reportsEnd }: Deciding,
): Asked | undefined {
  if (!reportsEnd) return NOT_CHALLENGED;
  const onPage = () => pressure?.take(facts, site);
  if (taken === 'page') return { ended: pressure?.watch(facts, site) };
  const ended =
    taken === 'media'
      ? freePages.awaitEndOfMedia(facts, store, clock(), onPage)
      : freePages.awaitEnd(facts, store, clock(), few, onPage);
  return ended && { ended: pressure ? pressure.watch(facts, site, ended) : ended };
}
