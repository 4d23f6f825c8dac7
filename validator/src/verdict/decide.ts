import type { MaybePromise, SessionStore } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import type { Rule } from '@guard/config/settings/rule';
import { afterWith } from '../deadline.ts';
import type { Facts } from '../request/facts.ts';
import type { LazyFindings } from '../rules/compile-match.ts';
import type { Directives } from '../rules/direct.ts';
import type { Judgement, Verdict } from './verdict.ts';
import { weigh } from './weigh.ts';

/**
 * Directives and findings to a judgement. In this order: a rule's block, its rate limit, a rule's
 * allow, what detection found, the challenge. Nothing set, nothing enforced.
 */
export function decide(
  directives: Directives,
  facts: Facts,
  findings: LazyFindings,
  store: SessionStore,
): MaybePromise<Judgement> {
  const { verdict, rateLimit, monitor } = directives;
  if (verdict?.value === 'block') {
    return monitored(ruleBlock(verdict.by, facts, findings.all()), undefined, monitor);
  }
  const context = { directives, facts, findings };
  if (rateLimit === undefined) return conclude(0, context);
  return afterWith(rateLimit.value(facts, store), context, conclude);
}

interface Context {
  readonly directives: Directives;
  readonly facts: Facts;
  readonly findings: LazyFindings;
}

/** The judgement of a request that no rule blocks; above 0, `retryAfterMs` says that its budget is spent. */
function conclude(retryAfterMs: number, { directives, facts, findings }: Context): Judgement {
  const { rateLimit, monitor } = directives;
  const detected = detect(directives, facts, findings);
  if (rateLimit === undefined || retryAfterMs === 0) {
    return monitored(detected, challengeLeft(directives, facts), monitor);
  }
  const limited: Verdict = {
    kind: 'limited',
    reasons: ['rate_limit_exceeded'],
    by: rateLimit.by,
    retryAfterMs,
  };
  return monitored(limited, challengeLeft(directives, facts), monitor);
}

/** A rule's own block. A crawler it was aimed at is told apart from a block of anybody. */
function ruleBlock(by: Rule, facts: Facts, findings: readonly Reason[]): Verdict {
  const primary: Reason = facts.crawler ? 'crawler_blocked' : 'policy_block';
  return { kind: 'block', reasons: [...new Set([primary, ...findings])], by };
}

/** The verdict of detection and challenge, for a request that no rule blocked and no budget stopped. */
function detect(directives: Directives, facts: Facts, findings: LazyFindings): Verdict {
  const { verdict, detect: detection, challenge } = directives;
  if (verdict?.value === 'allow') return { kind: 'allow', reasons: [], by: verdict.by };
  const verified = facts.session.state === 'verified';
  if (detection?.value === true) {
    const reasons = findings.all();
    const weighed = weigh(reasons, verified);
    if (weighed === 'bad') return { kind: 'block', reasons, by: detection.by };
    if (weighed === 'uncertain' && challenge?.value !== 'never') {
      // Contract 3: after an upload the next decision is allow or block. To ask a rejected session again
      // would send its visitor round in a loop, and let a driver try its luck.
      const answered = facts.session.state === 'rejected';
      return { kind: answered ? 'block' : 'challenge', reasons, by: detection.by };
    }
  }
  return (
    challengeLeft(directives, facts) ?? {
      kind: 'allow',
      reasons: [],
      by: (detection ?? challenge)?.by,
    }
  );
}

/** The challenge that `challenge: always` still wants of this session: each passes it once. */
function challengeLeft(directives: Directives, facts: Facts): Verdict | undefined {
  const { verdict, challenge } = directives;
  if (challenge?.value !== 'always' || verdict?.value === 'allow') return undefined;
  const judged = facts.session.state === 'verified' || facts.session.state === 'rejected';
  return judged ? undefined : { kind: 'challenge', reasons: [], by: challenge.by };
}

/**
 * Monitor mode (contract 1): a terminal block is enforced as `allow` with its reasons; a challenge is
 * left as it is, also the one that a lifted block had stood in front of.
 */
function monitored(
  concluded: Verdict,
  challenge: Verdict | undefined,
  monitor: boolean,
): Judgement {
  if (!monitor || concluded.kind === 'allow' || concluded.kind === 'challenge') {
    return { concluded, enforced: concluded, monitor };
  }
  const { reasons, by } = concluded;
  const enforced: Verdict = challenge ? { ...challenge, reasons } : { kind: 'allow', reasons, by };
  return { concluded, enforced, monitor };
}
