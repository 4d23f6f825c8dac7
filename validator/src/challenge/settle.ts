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
import { Verification, type Sender, type ValidTicketReading } from './verification.ts';
import { workBitsFor } from './work/work-bits.ts';
import { isCheckBusy, isWorkDone } from './work/check-work.ts';
import type { PassPrice } from './work/pass-price.ts';
import { issueTask, readTask } from './work/tasks.ts';
import type { Sealer } from '../session/sealer.ts';
import { SHORT_PASS_MS } from '../session/short-pass.ts';

const BUSY_CHECK_WAIT_MS = 1_000;

/** The outcome of one upload with a valid form. */
export type Settlement =
  /** `doubts` are the reasons for doubt. `noted` are findings that did not change the judgement. */
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
  /** There were too many uploads before. The page can send the upload again after `waitMs` milliseconds. */
  | { readonly kind: 'limited'; readonly waitMs: number }
  /** The visitor left the page. The ticket is undefined when it is not valid, or when the page was already reported. */
  | { readonly kind: 'left'; readonly ticket: Ticket | undefined }
  | {
      readonly kind: 'failed';
      readonly ticket: Ticket | undefined;
      readonly reason: Reason;
      readonly result: UploadResult;
    };

export interface SettleOptions {
  readonly store: SessionStore;
  /** How long a passed challenge is valid, in milliseconds. */
  readonly sessionTtlMs: number;
  /** How long a session stays rejected, in milliseconds. After that it can be challenged again. */
  readonly rejectedTtlMs: number;
  /** Fingerprint of an organisation's current rules. Undefined when there is no such organisation. */
  readonly currentRuleSet: (organisation: string) => string | undefined;
  /** The price of new passes of an organisation. Undefined when the passes are always free. */
  readonly priceOf: (organisation: string) => PassPrice | undefined;
  /** Seals tasks: createSealer(secrets, 'work'). */
  readonly tasks: Sealer;
  /** Country of an address, spelled as parseIp returns it. ISO 3166-1 alpha-2, upper case. Undefined when unknown. */
  readonly countryOf: (ip: string) => string | undefined;
  readonly signalsOf: SignalsOf;
  /** The correct widths for a ticket, as in CascadeSheets.widths. */
  readonly cascadesOf: (ticketId: string) => readonly (readonly number[])[];
  /** The strengths of findings for an organisation. */
  readonly strengthsOf: (organisation: string) => Strengths;
  readonly learned: Pick<LearnedAnswers, 'judge'>;
  /** The expected measurements for a ticket, as in Witnesses.expected. */
  readonly witnessesOf: (ticketId: string) => readonly ExpectedWitnesses[];
}

/**
 * Settles an upload in these steps: check ticket, form, rule set, session, User-Agent, origin, connection and earlier
 * answers; judge evidence and witnesses; check budgets and price; spend the ticket; check work and repeated evidence;
 * store the session. Each step can end the settlement. Identities and limits come only from the ticket or the server.
 * Rejects only when the store rejects.
 */
export async function settle(
  { reading, upload }: Received,
  request: CollectRequest,
  nowMs: number,
  options: SettleOptions,
): Promise<Settlement> {
  switch (reading.kind) {
    case 'invalid':
      return failWith(undefined, 'challenge_invalid', 'failed');
    // Another version issued the ticket, as during a rolling update. A reload can give the page a ticket of this
    // version.
    case 'unknown':
      return failWith(undefined, 'challenge_outdated', 'retry');
    // The page was open too long, or a clock was changed. A reload gives the page a new ticket.
    case 'expired':
    case 'early':
      return failWith(reading.ticket, 'challenge_expired', 'retry');
    case 'valid': {
      if (!upload) return failWith(reading.ticket, 'challenge_outdated', 'retry');
      const objection = objectionTo(upload, reading.ticket, request, options.currentRuleSet);
      if (objection) return failWith(reading.ticket, objection.reason, objection.result);
      // A spent ticket can be sent a thousand times, so this check comes before the expensive judgement.
      const storedSession = await options.store.session(reading.ticket.sessionId);
      if (storedSession && isAnswered(reading.ticket, storedSession)) {
        return failWith(reading.ticket, 'challenge_replayed', 'retry');
      }
      const sender: Sender = {
        userAgentHash: reading.ticket.userAgentHash,
        network: sessionNetwork(reading.ticket.network, request.ip),
      };
      const strengths = options.strengthsOf(reading.ticket.organisation);
      const cascades = options.cascadesOf(reading.ticket.id);
      const answersJudgement = options.learned.judge(reading.ticket, upload.evidence);
      const facts = factsOf(request, reading.ticket, answersJudgement.found, options);
      const judgement = judge(upload.evidence, facts, cascades, strengths);
      const isLacking = answersJudgement.isLacking && judgement.kind !== 'automated';
      if (judgement.kind === 'incomplete' || isLacking) {
        return failIncomplete(reading.ticket, 'challenge_incomplete', request.ip, options);
      }
      if (judgement.kind !== 'automated') {
        const { readings } = upload.evidence;
        const witnesses = options.witnessesOf(reading.ticket.id);
        const failure = await judgeWitnesses(reading.ticket, readings, witnesses, options.store);
        if (failure) return failIncomplete(reading.ticket, failure, request.ip, options);
      }
      const payload = payloadDigest(upload.evidence);
      const answer = { sender, judgement, strengths, payload, work: upload.work, ip: request.ip };
      return finish(reading, answer, nowMs, options);
    }
  }
}

/** An incomplete answer spends its ticket, so each guess costs a new page. The page gets a new challenge. */
async function failIncomplete(
  ticket: Ticket,
  reason: Reason,
  ip: string,
  options: SettleOptions,
): Promise<Settlement> {
  const { store, priceOf } = options;
  // After these two calls the ticket gets no task and no session any more.
  const isUnpriced = await isFirst(`priced:${ticket.id}`, store);
  if (!(await isFirst(ticket.id, store)) || !isUnpriced) {
    return failWith(ticket, 'challenge_replayed', 'retry');
  }
  await countFailure(ticket, ip, store, priceOf(ticket.organisation));
  return failWith(ticket, reason, 'retry');
}

/**
 * Whether this name was never spent before. A ticket has two names: one is spent with the session, and one with the
 * price.
 */
function isFirst(name: string, store: SessionStore) {
  return store.spend(name, CHALLENGE.ticketTtlMs + CHALLENGE.clockSkewMs);
}

/** The facts for the judges that are not in the body. */
function factsOf(
  request: CollectRequest,
  ticket: Ticket,
  reasons: readonly Reason[],
  { countryOf, signalsOf }: SettleOptions,
): RequestFacts {
  const ip = parseIp(request.ip);
  return {
    userAgent: headerOf(request, 'user-agent'),
    headers: request.headers,
    country: (ip === undefined ? undefined : countryOf(ip)) ?? '',
    found: [...reasons, ...signalsOf(request).filter((reason) => !ticket.found.includes(reason))],
  };
}

/** An upload that was judged, and that had no objections. */
interface JudgedUpload {
  readonly sender: Sender;
  readonly ip: string;
  readonly judgement: Exclude<Judgement, { kind: 'incomplete' }>;
  readonly strengths: Strengths;
  /** The payloadDigest of the evidence. */
  readonly payload: string;
  readonly work: Upload['work'];
}

async function finish(
  reading: ValidTicketReading,
  answer: JudgedUpload,
  nowMs: number,
  options: SettleOptions,
): Promise<Settlement> {
  const { store, sessionTtlMs, rejectedTtlMs } = options;
  const { sender } = answer;
  const { ticket } = reading;
  const work = workOf(ticket, answer, options);
  const settled = work ? limitIfBusy() : await settleWithoutWork(ticket, answer, nowMs, options);
  if (settled) return settled;
  const isNewlySpent = await isFirst(ticket.id, store);
  // The ticket is already spent here, so a wrong solution gets no second check.
  if (isNewlySpent && work && !(await isWorkDone(work.task, work.counter, work.bits))) {
    return failWith(ticket, 'challenge_invalid', 'failed');
  }
  const judgement = isNewlySpent ? await unlessReplayed(answer, store) : answer.judgement;
  switch (judgement.kind) {
    case 'human':
    case 'doubtful': {
      const verification = Verification.afterSpending(isNewlySpent, { reading, judgement, sender });
      if (!verification) return failWith(ticket, 'challenge_replayed', 'retry');
      const { doubts } = verification;
      const ttlMs = doubts.length > 0 ? SHORT_PASS_MS : sessionTtlMs;
      await store.keepSession(verification.sessionId, verification.session(nowMs), ttlMs);
      const noted = judgement.kind === 'human' ? judgement.noted : undefined;
      return { kind: 'verified', ticket, doubts, noted: noted ?? [] };
    }
    case 'automated': {
      if (!isNewlySpent) return failWith(ticket, 'challenge_replayed', 'retry');
      const { organisation, sessionId, network, client } = ticket;
      const { reasons } = judgement;
      // The session is stored for the challenged network. An upload from another network must not move the session to
      // its own network.
      await store.keepSession(
        sessionId,
        { ...sender, network, client, organisation, state: 'rejected', reasons, judgedAt: nowMs },
        rejectedTtlMs,
      );
      return { kind: 'rejected', ticket, reasons };
    }
  }
}

/** The work of the upload, not checked yet. Undefined when there is no work or not enough. */
function workOf(ticket: Ticket, answer: JudgedUpload, { tasks }: SettleOptions) {
  const { work } = answer;
  const bits = work ? readTask(tasks, ticket.id, work.task) : 0;
  const minBits = Math.max(1, workBitsFor(ticket, answer.judgement, answer.strengths));
  return work && bits >= minBits ? { ...work, bits } : undefined;
}

function limitIfBusy(): Settlement | undefined {
  return isCheckBusy() ? { kind: 'limited', waitMs: BUSY_CHECK_WAIT_MS } : undefined;
}

/** Counts an upload without work. Undefined when the upload needs no work. */
async function settleWithoutWork(
  ticket: Ticket,
  answer: JudgedUpload,
  nowMs: number,
  options: SettleOptions,
): Promise<Settlement | undefined> {
  const { store, tasks, priceOf } = options;
  const { ip, judgement } = answer;
  const admission = await admit(ticket, ip, store);
  if (admission.kind === 'repeated') return failWith(ticket, 'challenge_replayed', 'retry');
  if (admission.kind === 'limited') return admission;
  // An upload that already got a task must come back with work. Otherwise each repeat would be counted as a new pass.
  if (!(await isFirst(`priced:${ticket.id}`, store))) {
    return failWith(ticket, 'challenge_replayed', 'retry');
  }
  if (judgement.kind === 'automated') {
    await countFailure(ticket, ip, store, priceOf(ticket.organisation));
    return undefined;
  }
  // A pass is counted when its task is issued. Otherwise a client could collect many tasks while the price is low.
  const price = (await priceOf(ticket.organisation)?.bits(ticket, store, nowMs)) ?? 0;
  const bits = Math.max(ticket.work, workBitsFor(ticket, judgement, answer.strengths), price);
  if (bits === 0) return undefined;
  const doubts = judgement.kind === 'doubtful' ? judgement.reasons : [];
  return { kind: 'work', ticket, task: issueTask(tasks, ticket.id, bits), doubts };
}

/** Rejects a recording: the same readings with the same timings came before with another ticket. */
async function unlessReplayed(
  { judgement, strengths, payload }: JudgedUpload,
  store: SessionStore,
): Promise<JudgedUpload['judgement']> {
  if (judgement.kind === 'automated') return judgement;
  const isNewPayload = await store.spend(payload, PAYLOAD_MEMORY_MS);
  if (isNewPayload) return judgement;
  const doubts = judgement.kind === 'doubtful' ? judgement.reasons : [];
  return judgementOf(['payload_replayed', ...doubts], strengths);
}

/**
 * Whether the session was judged after the ticket was issued. If so, the upload is refused. So a second ticket cannot
 * change a rejected session, and a ticket stays spent even when the list of spent tickets overflows.
 */
function isAnswered(ticket: Ticket, session: Session): boolean {
  return session.organisation === ticket.organisation && session.judgedAt >= ticket.issuedAt;
}

function failWith(ticket: Ticket | undefined, reason: Reason, result: UploadResult): Settlement {
  return { kind: 'failed', ticket, reason, result };
}
