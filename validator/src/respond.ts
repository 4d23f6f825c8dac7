import { mintRequestId } from '@guard/config/contract/request-id';
import type { ValidateResponse } from '@guard/config/contract/validate-response';
import type { Challenge } from './challenge/issue.ts';
import { newReference } from './challenge/reference-code.ts';
import { nameOf } from './error-name.ts';
import type { Caller, Engine } from './engine.ts';
import { describeEvent } from './event.ts';
import type { Policy } from './organisation.ts';
import type { Facts } from './request/facts.ts';
import { render } from './response/render.ts';
import { representationFor } from './response/representation.ts';
import { sessionCookie } from './session/cookie.ts';
import type { Judgement, Verdict } from './verdict/verdict.ts';

export interface Setting {
  readonly policy: Policy;
  readonly caller: Caller;
  readonly engine: Engine;
  /** performance.now() when the decision began. */
  readonly startedAt: number;
}

/** A judgement to the wire's answer, and to the event that remembers it. */
export function respond(facts: Facts, judged: Judgement, setting: Setting): ValidateResponse {
  const { policy, caller, engine, startedAt } = setting;
  const judgement = engine.observe ? observed(judged) : judged;
  const { enforced } = judgement;
  const now = engine.clock();
  const requestId = mintRequestId(now);
  const session = sessionFor(facts, setting);
  const challenge = challengeFor(enforced, facts, session.id, setting, now);
  const reference = challenge?.reference ?? referenceFor(enforced);
  const response = render(enforced, {
    facts,
    policy,
    requestId,
    reference,
    cookies: session.minted ? [sessionCookie(session.id, facts.url.scheme)] : [],
    interstitial: challenge && { text: challenge.html, headers: challenge.headers },
  });
  engine.events.record(
    describeEvent({
      facts,
      judgement,
      response,
      requestId,
      reference,
      sessionId: session.id,
      createdAt: now,
      organisation: policy.organisation,
      site: caller.site,
      validator: caller.via,
      observe: engine.observe,
      durationUs: Math.round((performance.now() - startedAt) * 1000),
    }),
  );
  return response;
}

/** Observe mode: whatever was concluded, the visitor passes. */
function observed({ concluded, monitor }: Judgement): Judgement {
  const { reasons, by } = concluded;
  return { concluded, enforced: { kind: 'allow', reasons, by }, monitor };
}

/**
 * The presented session, or a new one; a matched crawler, and who is only observed, get none. An id
 * that could not be sealed is none: an `allow` stays one, and a challenge goes out without its page.
 */
function sessionFor(facts: Facts, { policy, engine }: Setting): { id: string; minted: boolean } {
  if (facts.session.state !== 'none') return { id: facts.session.id, minted: false };
  if (engine.observe || facts.crawler) return { id: '', minted: false };
  try {
    return { id: engine.ids.mint(policy.organisation), minted: true };
  } catch (error) {
    engine.log('error', 'session_not_sealed', { error: nameOf(error) });
    return { id: '', minted: false };
  }
}

/**
 * The challenge page. Without a session it could not be won, and who takes no HTML needs none. One that
 * could not be rendered is left out, and the caller denies (spec 3).
 */
function challengeFor(
  { kind }: Verdict,
  facts: Facts,
  sessionId: string,
  { policy, caller, engine }: Setting,
  nowMs: number,
): Challenge | undefined {
  if (kind !== 'challenge' || sessionId === '' || representationFor(facts) !== 'html') {
    return undefined;
  }
  try {
    return engine.issue({
      organisation: policy.organisation,
      sessionId,
      ip: facts.ip,
      userAgent: facts.userAgent,
      acceptLanguage: facts.headers['accept-language'],
      method: facts.method,
      uploadUrl: caller.uploadUrl,
      nowMs,
    });
  } catch (error) {
    engine.log('error', 'challenge_not_rendered', { error: nameOf(error) });
    return undefined;
  }
}

/** Only who is shown a page, or a problem, has a use for a code. */
function referenceFor({ kind }: Verdict): string {
  return kind === 'allow' ? '' : newReference();
}
