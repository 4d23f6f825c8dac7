import { CHALLENGE } from '@guard/config/contract/limits';
import type { CollectRequest, Session, SessionStore } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import type { Upload, UploadResult } from '../../page-contract/evidence.ts';
import { parseIp } from '@guard/config/net/cidr';
import { judge, judgementOf, type Judgement } from './evidence/judge.ts';
import type { RequestFacts } from './evidence/judges/case.ts';
import { headerOf } from './exchange.ts';
import { objectionTo } from './objections.ts';
import { PAYLOAD_MEMORY_MS, payloadDigest } from './evidence/payload-digest.ts';
import type { Received } from './read-upload.ts';
import { sessionNetwork } from './session-network.ts';
import type { Ticket } from './tickets/ticket.ts';
import { admit, countFailure } from './upload-budgets.ts';
import type { SignalsOf } from './upload-signals.ts';
import type { Strengths } from '../verdict/strengths.ts';
import type { LearnedAnswers } from './learned/learned-answers.ts';
import type { ExpectedWitnesses } from './witnesses/witnesses.ts';
import { judgeWitnesses } from './witnesses/judge-witnesses.ts';
import { Verification, type Sender, type ValidTicket } from './verification.ts';
import { bitsOf } from './work/bits-of.ts';
import { isCheckBusy, isWorkDone } from './work/check-work.ts';
import type { PassPrice } from './work/pass-price.ts';
import { issueTask, readTask } from './work/tasks.ts';
import type { Sealer } from '../session/sealer.ts';
import { SHORT_PASS_MS } from '../session/short-pass.ts';

/** The wait when too much work is being checked. */
const CHECK_WAIT_MS = 1_000;

/** How one upload that has the right form ended. */
export type Settlement =
  /** With the reasons to doubt it, and with findings that changed nothing. */
  | {
      readonly kind: 'verified';
      readonly ticket: Ticket;
      readonly doubts: readonly Reason[];
      readonly noted: readonly Reason[];
    }
  /** The upload needs work. The ticket stays unspent. */
  | {
      readonly kind: 'work';
      readonly ticket: Ticket;
      readonly task: string;
      readonly doubts: readonly Reason[];
    }
  | { readonly kind: 'rejected'; readonly ticket: Ticket; readonly reasons: readonly Reason[] }
  /** Too many uploads came before it. The page may send it again in `waitMs`. */
  | { readonly kind: 'limited'; readonly waitMs: number }
  /** The page was left; undefined where that is known already, or its ticket is not good. */
  | { readonly kind: 'left'; readonly ticket: Ticket | undefined }
  | {
      readonly kind: 'failed';
      readonly ticket: Ticket | undefined;
      readonly reason: Reason;
      readonly result: UploadResult;
    };

export interface SettleOptions {
  readonly store: SessionStore;
  /** How long a passed challenge holds, in milliseconds. */
  readonly sessionTtlMs: number;
  /** How long a rejected session is remembered before it may be challenged again. */
  readonly rejectedTtlMs: number;
  /** Fingerprint of an organisation's rules as they are now; undefined when there is none of the name. */
  readonly currentRuleSet: (organisation: string) => string | undefined;
  /** What new passes of an organisation cost; undefined where they cost nothing. */
  readonly priceOf: (organisation: string) => PassPrice | undefined;
  /** Seals tasks: createSealer(secrets, 'work'). */
  readonly tasks: Sealer;
  /** Country of an address as parseIp spells it, ISO 3166-1 alpha-2 in upper case; undefined when it is not known. */
  readonly countryOf: (ip: string) => string | undefined;
  readonly signalsOf: SignalsOf;
  /** CascadeSheets.widths */
  readonly cascadesOf: (ticketId: string) => readonly (readonly number[])[];
  /** How much each finding counts for an organisation. */
  readonly strengthsOf: (organisation: string) => Strengths;
  readonly learned: Pick<LearnedAnswers, 'judge'>;
  /** Witnesses.expected */
  readonly witnessesOf: (ticketId: string) => readonly ExpectedWitnesses[];
}

/**
 * Ticket, form, rule set, session, agent, origin, answered before, judgement, witnesses, budget, work, spend, keep: in this order, each
 * leaving early with its own answer. Whatever decides comes from the ticket or the server; rejects only when the
 * store does.
 */
export async function settle(
  { reading, upload }: Received,
  request: CollectRequest,
  nowMs: number,
  options: SettleOptions,
): Promise<Settlement> {
  switch (reading.kind) {
    case 'invalid':
      return failed(undefined, 'challenge_invalid', 'failed');
    // While an update goes from instance to instance, the page may get one of its own with a reload.
    case 'unknown':
      return failed(undefined, 'challenge_outdated', 'retry');
    // A page left open too long, or over a change of the clock, only needs the ticket of a reload.
    case 'expired':
    case 'early':
      return failed(reading.ticket, 'challenge_expired', 'retry');
    case 'valid': {
      if (!upload) return failed(reading.ticket, 'challenge_outdated', 'retry');
      const objection = objectionTo(upload, reading.ticket, request, options.currentRuleSet);
      if (objection) return failed(reading.ticket, objection.reason, objection.result);
      // Before the judgement, which is dear: a spent ticket may be sent a thousand times.
      const held = await options.store.session(reading.ticket.sessionId);
      if (held && isAnswered(reading.ticket, held)) {
        return failed(reading.ticket, 'challenge_replayed', 'retry');
      }
      const sender: Sender = {
        userAgentHash: reading.ticket.userAgentHash,
        network: sessionNetwork(reading.ticket.network, request.ip),
      };
      const strengths = options.strengthsOf(reading.ticket.organisation);
      const cascades = options.cascadesOf(reading.ticket.id);
      const answered = options.learned.judge(reading.ticket, upload.evidence);
      const facts = factsOf(request, reading.ticket, answered.found, options);
      const judgement = judge(upload.evidence, facts, cascades, strengths);
      const isLacking = answered.isLacking && judgement.kind !== 'automated';
      if (judgement.kind === 'incomplete' || isLacking) {
        return missed(reading.ticket, 'challenge_incomplete', request.ip, options);
      }
      if (judgement.kind !== 'automated') {
        const { readings } = upload.evidence;
        const expected = options.witnessesOf(reading.ticket.id);
        const lack = await judgeWitnesses(reading.ticket, readings, expected, options.store);
        if (lack) return missed(reading.ticket, lack, request.ip, options);
      }
      const payload = payloadDigest(upload.evidence);
      const { work } = upload;
      const answer = { sender, judgement, strengths, payload, work, ip: request.ip };
      return keep(reading, answer, nowMs, options);
    }
  }
}

/**
 * An answer that misses something ends its ticket, so each try to guess costs a page, and counts. The page is given a
 * fresh challenge.
 */
async function missed(
  ticket: Ticket,
  reason: Reason,
  ip: string,
  options: SettleOptions,
): Promise<Settlement> {
  const { store, priceOf } = options;
  // Neither a task nor a session comes of it any more.
  const isUnpriced = await isFirst(`priced:${ticket.id}`, store);
  if (!(await isFirst(ticket.id, store)) || !isUnpriced) {
    return failed(ticket, 'challenge_replayed', 'retry');
  }
  await countFailure(ticket, ip, store, priceOf(ticket.organisation));
  return failed(ticket, reason, 'retry');
}

/** Whether this did not happen with a ticket before: each is spent once, and priced once. */
function isFirst(name: string, store: SessionStore) {
  return store.spend(name, CHALLENGE.ticketTtlMs + CHALLENGE.clockSkewMs);
}

/** What the judges look at beside the body. */
function factsOf(
  request: CollectRequest,
  ticket: Ticket,
  learned: readonly Reason[],
  { countryOf, signalsOf }: SettleOptions,
): RequestFacts {
  const ip = parseIp(request.ip);
  return {
    userAgent: headerOf(request, 'user-agent'),
    headers: request.headers,
    country: (ip === undefined ? undefined : countryOf(ip)) ?? '',
    found: [...learned, ...signalsOf(request).filter((reason) => !ticket.found.includes(reason))],
  };
}

/** A judged upload without objections. */
interface Answer {
  readonly sender: Sender;
  readonly ip: string;
  readonly judgement: Exclude<Judgement, { kind: 'incomplete' }>;
  readonly strengths: Strengths;
  /** payloadDigest of its evidence. */
  readonly payload: string;
  readonly work: Upload['work'];
}

async function keep(
  reading: ValidTicket,
  answer: Answer,
  nowMs: number,
  options: SettleOptions,
): Promise<Settlement> {
  const { store, sessionTtlMs, rejectedTtlMs } = options;
  const { sender } = answer;
  const { ticket } = reading;
  const work = workOf(ticket, answer, options);
  const early = work ? whileBusy() : await admitted(ticket, answer, nowMs, options);
  if (early) return early;
  const spent = await isFirst(ticket.id, store);
  // Wrong work has spent its ticket: no second one is checked for it.
  if (spent && work && !(await isWorkDone(work.task, work.counter, work.bits))) {
    return failed(ticket, 'challenge_invalid', 'failed');
  }
  const judgement = spent ? await unlessReplayed(answer, store) : answer.judgement;
  switch (judgement.kind) {
    case 'human':
    case 'doubtful': {
      const verification = Verification.afterSpending(spent, { reading, judgement, sender });
      if (!verification) return failed(ticket, 'challenge_replayed', 'retry');
      const { doubts } = verification;
      const ttlMs = doubts.length > 0 ? SHORT_PASS_MS : sessionTtlMs;
      await store.keepSession(verification.sessionId, verification.session(nowMs), ttlMs);
      const noted = judgement.kind === 'human' ? judgement.noted : undefined;
      return { kind: 'verified', ticket, doubts, noted: noted ?? [] };
    }
    case 'automated': {
      if (!spent) return failed(ticket, 'challenge_replayed', 'retry');
      const { organisation, sessionId, network, client } = ticket;
      const { reasons } = judgement;
      // It counts where the challenged one is: an upload from elsewhere must not carry it there.
      await store.keepSession(
        sessionId,
        { ...sender, network, client, organisation, state: 'rejected', reasons, judgedAt: nowMs },
        rejectedTtlMs,
      );
      return { kind: 'rejected', ticket, reasons };
    }
  }
}

/** The work that came along, not checked yet; undefined where there is none, or not enough. */
function workOf(ticket: Ticket, answer: Answer, { tasks }: SettleOptions) {
  const { id } = ticket;
  const { work } = answer;
  const bits = work ? readTask(tasks, id, work.task) : 0;
  const least = Math.max(1, bitsOf(ticket, answer.judgement, answer.strengths));
  return work && bits >= least ? { ...work, bits } : undefined;
}

function whileBusy(): Settlement | undefined {
  return isCheckBusy() ? { kind: 'limited', waitMs: CHECK_WAIT_MS } : undefined;
}

/** Counts an upload without work. Undefined where its visitor may have the session without any. */
async function admitted(
  ticket: Ticket,
  answer: Answer,
  nowMs: number,
  options: SettleOptions,
): Promise<Settlement | undefined> {
  const { store, tasks, priceOf } = options;
  const { ip, judgement } = answer;
  const admission = await admit(ticket, ip, store);
  if (admission.kind === 'repeated') return failed(ticket, 'challenge_replayed', 'retry');
  if (admission.kind === 'limited') return admission;
  // One that was given a task before comes back with work, or not at all: else it would count as many passes.
  if (!(await isFirst(`priced:${ticket.id}`, store))) {
    return failed(ticket, 'challenge_replayed', 'retry');
  }
  if (judgement.kind === 'automated') {
    await countFailure(ticket, ip, store, priceOf(ticket.organisation));
    return undefined;
  }
  // A pass is counted when its task is issued. Otherwise tasks could be collected while they are small.
  const price = (await priceOf(ticket.organisation)?.bits(ticket, store, nowMs)) ?? 0;
  const bits = Math.max(ticket.work, bitsOf(ticket, answer.judgement, answer.strengths), price);
  if (bits === 0) return undefined;
  const doubts = judgement.kind === 'doubtful' ? judgement.reasons : [];
  return { kind: 'work', ticket, task: issueTask(tasks, ticket.id, bits), doubts };
}

/** The same readings with the same timings have come before, under another ticket: a recording. */
async function unlessReplayed(
  { judgement, strengths, payload }: Answer,
  store: SessionStore,
): Promise<Answer['judgement']> {
  if (judgement.kind === 'automated') return judgement;
  const first = await store.spend(payload, PAYLOAD_MEMORY_MS);
  if (first) return judgement;
  const doubts = judgement.kind === 'doubtful' ? judgement.reasons : [];
  return judgementOf(['payload_replayed', ...doubts], strengths);
}

/**
 * Whether the session was judged after the ticket was issued. So a second ticket cannot change a rejected session,
 * and a ticket stays spent even when the list of spent tickets overflows.
 */
function isAnswered(ticket: Ticket, held: Session): boolean {
  return held.organisation === ticket.organisation && held.judgedAt >= ticket.issuedAt;
}

function failed(ticket: Ticket | undefined, reason: Reason, result: UploadResult): Settlement {
  return { kind: 'failed', ticket, reason, result };
}
