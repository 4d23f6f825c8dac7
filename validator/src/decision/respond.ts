import type { HeldBack, HoldBack } from '@guard/config/contract/ports';
import type { DecisionEvent } from '@guard/config/contract/event';
import { mintRequestId } from '@guard/config/contract/request-id';
import { sessionDigest } from '@guard/config/contract/session-digest';
import type { Cookie, ValidateResponse } from '@guard/config/contract/validate-response';
import type { Challenge } from '../challenge/tickets/issue.ts';
import { newReference } from '../challenge/tickets/reference-code.ts';
import { nameOf } from '../request/error-name.ts';
import type { Caller, Engine } from './engine.ts';
import { type Answer, describeEvent } from './event.ts';
import type { Policy } from '../policy/compile-policy.ts';
import { embedderOf } from '../pages/embedder.ts';
import { acceptsCoding } from '../request/accept.ts';
import { formSource } from '../request/form-source.ts';
import { clientClass } from '../request/client-class.ts';
import type { Facts, SessionFact } from '../request/facts.ts';
import { render } from '../response/render.ts';
import { representationFor } from '../request/representation.ts';
import { isPage } from '../request/representation.ts';
import { sessionCookie } from '../session/cookie.ts';
import { isDue } from '../session/session-value.ts';
import type { Findings } from '../signals/findings.ts';
import type { Times } from './times.ts';
import { challengeInstead, type Judgement, type Verdict } from '../verdict/verdict.ts';

export interface DecisionContext {
  readonly policy: Policy;
  readonly caller: Caller;
  readonly engine: Engine;
  readonly findings: Findings;
  readonly times: Times;
  /** The session id that the request sent. Empty when the request sent none. */
  readonly presented: string;
}

/** The response of contract 2.2, and facts about the decision that are not in the response. */
export interface Responded extends HeldBack {
  readonly kind: 'response';
  readonly response: ValidateResponse;
}

/**
 * Makes the response of contract 2.2 and the event from a judgement. A response in place of an answer that is held back
 * has the request id of the first response.
 */
export function respond(
  facts: Facts,
  originalJudgement: Judgement,
  context: DecisionContext,
  requestId = mintRequestId(context.engine.clock()),
): Responded {
  const { policy, engine, presented } = context;
  const judgement = engine.observe ? applyObserveMode(originalJudgement) : originalJudgement;
  const { enforced } = judgement;
  const nowMs = engine.clock();
  const showsPage = showsChallengePage(enforced, facts);
  const usesSentSession = hasSession(facts.session, showsPage);
  const sessionId = usesSentSession
    ? facts.session.id
    : mintFor(facts, context, showsPage ? nowMs : undefined);
  const session = usesSentSession ? engine.ids.digestOf(sessionId) : sessionDigest(sessionId);
  const trap = trapFor(facts, enforced, session, context, nowMs);
  const challenge = showsPage ? challengeFor(facts, sessionId, trap, context, nowMs) : undefined;
  const answer: Answer = {
    facts,
    policy,
    requestId,
    reference: challenge?.reference ?? referenceFor(enforced),
    session,
    sessionSent: usesSentSession ? session : sessionDigest(presented.toLowerCase()),
    cookies: cookiesOf(
      usesSentSession ? renewedSessionFor(facts, enforced, context, nowMs) : sessionId,
      facts,
    ),
    trap,
    interstitial: challenge && { bytes: challenge.html, headers: challenge.headers },
    signatureWanted: engine.sources.checkSignature !== undefined && !facts.signedAgent,
    nowMs,
  };
  const { response, body } = render(enforced, answer);
  const event = describeEvent(judgement, response, answer, context);
  return {
    kind: 'response',
    response,
    body,
    gzipBody: gzipFor(facts, challenge),
    session,
    ended: originalJudgement.watch?.ended,
    holdBack: holdBackFor(facts, originalJudgement, event, context),
    event,
    crawlerVerified: facts.crawler?.verified === true,
  };
}

/**
 * Makes the challenge in place of an answer that the visitor must not get. Its event describes the same request. After
 * an exception the visitor does not get the answer: it may be one that must be held back.
 */
function holdBackFor(
  facts: Facts,
  judgement: Judgement,
  event: DecisionEvent,
  context: DecisionContext,
): HoldBack | undefined {
  const admits = judgement.watch?.admits;
  if (admits === undefined || context.engine.observe) return undefined;
  const instead = challengeInstead(judgement);
  if (instead === undefined) return undefined;
  const { requestId, createdAt, durationUs } = event;
  return (ending, isShared) => {
    let held: HeldBack;
    try {
      if (admits(ending, isShared)) return undefined;
      const challenged = respond(facts, instead, context, requestId);
      // The time that the origin took is not a part of the decision.
      held = { ...challenged, event: { ...challenged.event, createdAt, durationUs } };
    } catch (error) {
      context.engine.log('error', 'validate_failed', { error: nameOf(error) });
      held = deniedAfter(event);
    }
    countDecision(context.engine, held.event);
    return held;
  };
}

/** Counts a decision that is enforced. The challenge in place of an answer is a second decision about its request. */
export function countDecision({ metrics }: Engine, { action }: DecisionEvent): void {
  metrics.count('guard_decisions_total', action);
}

function deniedAfter(event: DecisionEvent): HeldBack {
  const denied = { action: 'block', response: 'block', statusCode: 403 } as const;
  return {
    response: { success: true, decision: 'block', status_code: 403 },
    session: event.session,
    crawlerVerified: false,
    event: { ...event, ...denied },
  };
}

function showsChallengePage({ kind }: Verdict, facts: Facts): boolean {
  return kind === 'challenge' && representationFor(facts) === 'html';
}

/** An allowed visitor sees no page of Guard, so there is no reference code. */
function referenceFor({ kind }: Verdict): string {
  return kind === 'allow' ? '' : newReference();
}

function gzipFor({ headers }: Facts, challenge: Challenge | undefined) {
  return acceptsCoding(headers['accept-encoding'], 'gzip') ? challenge?.gzip : undefined;
}

/**
 * Whether the answer uses the session that the request sent. A challenge page uploads the cookie that it reads. When
 * the browser sent several `_guard` cookies, a challenge page gets a new session.
 */
function hasSession(
  session: SessionFact,
  showsPage: boolean,
): session is Exclude<SessionFact, { state: 'none' }> {
  return session.state === 'issued' ? !(showsPage && session.contested) : session.state !== 'none';
}

const NO_COOKIES: readonly Cookie[] = [];

function cookiesOf(value: string, { url }: Facts): readonly Cookie[] {
  return value === '' ? NO_COOKIES : [sessionCookie(value, url.scheme)];
}

/**
 * The next value of a verified session (session/renewal.ts). Empty when no renewal is due. Only answers with pages
 * carry it, because a cookie would prevent shared caches from storing files.
 */
function renewedSessionFor(
  facts: Facts,
  { kind }: Verdict,
  { policy, engine }: DecisionContext,
  nowMs: number,
): string {
  const { session } = facts;
  if (session.state !== 'verified' || kind !== 'allow' || engine.observe || !isPage(facts))
    return '';
  if (session.contested === true) return '';
  if (!isDue(session.id, session.session.judgedAt, nowMs, session.session.newest)) return '';
  return sealOrEmpty(engine, () => engine.ids.renewed(policy.organisation, session.id, nowMs));
}

/** The sealed session id. Empty when the sealing failed. */
function sealOrEmpty({ log }: Engine, seal: () => string): string {
  try {
    return seal();
  } catch (error) {
    log('error', 'session_not_sealed', { error: nameOf(error) });
    return '';
  }
}

/** In observe mode Guard allows the request. The event keeps the concluded verdict. */
function applyObserveMode({ concluded, monitor }: Judgement): Judgement {
  const { reasons, by } = concluded;
  return { concluded, enforced: { kind: 'allow', reasons, by }, monitor };
}

/**
 * The id of a new session. It is empty for a known crawler, in observe mode, and when the sealing failed. After a
 * failed sealing an `allow` stays an `allow`, and a challenge has no page.
 */
function mintFor(
  facts: Facts,
  { policy, engine }: DecisionContext,
  challengedAt: number | undefined,
): string {
  if (engine.observe || facts.crawler) return '';
  return sealOrEmpty(engine, () => engine.ids.mint(policy.organisation, challengedAt));
}

/**
 * The challenge page. Undefined when the rendering failed, and when there is no session, because then no visitor could
 * pass the challenge. Without a page the caller denies the request (contract 3).
 */
function challengeFor(
  facts: Facts,
  sessionId: string,
  trap: string,
  { policy, caller, engine, findings }: DecisionContext,
  nowMs: number,
): Challenge | undefined {
  if (sessionId === '') return undefined;
  try {
    return engine.issue({
      organisation: policy.organisation,
      sessionId,
      ip: facts.ip,
      userAgent: facts.userAgent,
      client: clientClass(facts),
      found: findings.all(),
      acceptLanguage: facts.headers['accept-language'],
      form: formSource(facts),
      embedder: embedderOf(facts.headers),
      look: policy.look,
      terms: policy.challenge,
      uploadUrl: caller.uploadUrl,
      trap,
      nowMs,
    });
  } catch (error) {
    engine.log('error', 'challenge_not_rendered', { error: nameOf(error) });
    return undefined;
  }
}

/**
 * The URL of the hidden link on a page of Guard. Empty when the answer is no page, when there is no session, or when
 * the setting is off.
 */
function trapFor(
  facts: Facts,
  { kind }: Verdict,
  session: string,
  { policy, caller, engine }: DecisionContext,
  nowMs: number,
): string {
  if (kind === 'allow' || session === '' || policy.traps?.hasLink !== true) return '';
  if (representationFor(facts) !== 'html') return '';
  const { organisation } = policy;
  return engine.issueTrapLink({ organisation, session, ip: facts.ip, nowMs }, caller.uploadUrl);
}
