import { CHALLENGE } from '@guard/config/contract/limits';
import type { Clock, Collect, CollectAnswer, CollectRequest } from '@guard/config/contract/ports';
import { Patience } from '@guard/config/time/patience';
import { createSealer } from '../session/sealer.ts';
import type { CollectOutcome, Ending } from './collect-outcome.ts';
import { createCascadeSheets } from './cascade/sheet.ts';
import { corsHeaders, preflight } from './cors.ts';
import type { UploadResult, RequiredWork } from '../../page-contract/evidence.ts';
import { emptyAnswer, headerOf, jsonAnswer } from './exchange.ts';
import { createUploadForms } from './program/programs.ts';
import { noteLeft } from './left-page.ts';
import { readUpload } from './read-upload.ts';
import { settle, type SettleOptions, type Settlement } from './settle.ts';
import { createLearnedAnswers, type LearnedAnswers } from './learned/learned-answers.ts';
import type { Ticket } from './tickets/ticket.ts';
import { countUseless } from './upload-budgets.ts';
import { createWitnesses } from './witnesses/witnesses.ts';

/** The options of the collector. It derives the omitted options of a settlement from the secrets. */
interface CollectorOptions extends Omit<
  SettleOptions,
  'tasks' | 'cascadesOf' | 'learned' | 'witnessesOf'
> {
  /** The same secrets as for createChallengeIssuer. The first secret signs, and all secrets verify. */
  readonly secrets: readonly string[];
  /** The answers that an earlier collector with the same secrets has learned. */
  readonly learned?: LearnedAnswers | undefined;
  readonly clock: Clock;
  /** Whether pages of this origin are allowed to upload to a collector on another host. */
  readonly allowedOrigin: (origin: string) => boolean;
  /** Called with the outcome of each upload before its answer is sent. Must not throw. */
  readonly report: (outcome: CollectOutcome) => void;
}

/** Handles `POST /verify` (contract 3: the upload of the challenge page) and its CORS preflight. */
export function createVerify(options: CollectorOptions): Collect {
  const { clock, report, store } = options;
  const sealer = createSealer(options.secrets, 'ticket');
  const formsOf = createUploadForms(options.secrets);
  const { learned = createLearnedAnswers(options.secrets) } = options;
  const settleOptions = {
    ...options,
    learned,
    cascadesOf: createCascadeSheets(options.secrets).widths,
    witnessesOf: createWitnesses(options.secrets).expected,
    tasks: createSealer(options.secrets, 'work'),
  };
  const patience = new Patience(CHALLENGE.uploadBudgetMs);

  async function verify(request: CollectRequest, sender: Sender): Promise<CollectAnswer> {
    const nowMs = clock();
    const receivedUpload = readUpload(request.body, sealer, formsOf, nowMs);
    const uploadSettlement = receivedUpload.isLeft
      ? await noteLeft(receivedUpload.reading, store)
      : await settle(receivedUpload, request, nowMs, settleOptions);
    const waitMs = isUseless(uploadSettlement) ? await countUseless(sender.ip, store) : 0;
    const settlement: Settlement = waitMs > 0 ? { kind: 'limited', waitMs } : uploadSettlement;
    if (
      uploadSettlement.kind === 'verified' &&
      uploadSettlement.doubts.length === 0 &&
      receivedUpload.upload
    ) {
      learned.teach(uploadSettlement.ticket, receivedUpload.upload.evidence, sender.ip);
    }
    report({ ...sender, ...outcomeOf(settlement) });
    return answerTo(settlement, receivedUpload.status);
  }

  /** Contract 3, "session storage unavailable": after a 5xx the page retries without an action of the person. */
  function unavailable(request: CollectRequest, sender: Sender): CollectAnswer {
    const { reading } = readUpload(request.body, sealer, formsOf, clock());
    const subject = subjectIn('ticket' in reading ? reading.ticket : undefined);
    report({ ...sender, kind: 'unavailable', reasons: [], ...subject });
    return answer(503, 'retry');
  }

  return async (request) => {
    if (request.path !== '/verify') return emptyAnswer(404);
    const cors = corsHeaders(request, options.allowedOrigin);
    if (request.method === 'OPTIONS') return preflight(cors);
    if (request.method !== 'POST') return emptyAnswer(405, { Allow: 'POST, OPTIONS' });
    if (!isJson(headerOf(request, 'content-type'))) return emptyAnswer(415, cors);
    if (Buffer.byteLength(request.body) > CHALLENGE.maxUploadBytes) return emptyAnswer(413, cors);
    const sender: Sender = { ip: request.ip, userAgent: headerOf(request, 'user-agent') };
    // verify() rejects only when the store rejects. The page must not wait without end when the store never answers.
    // When the store answers later, its session is still valid.
    const verifiedAnswer = verify(request, sender).catch(() => undefined);
    const { status, headers, body } =
      (await patience.within(verifiedAnswer, () => undefined)) ?? unavailable(request, sender);
    return { status, headers: { ...headers, ...cors }, body };
  };
}

/** Whether this is an upload without a result, or a repeated report that the page was left. */
function isUseless(settlement: Settlement): boolean {
  return (
    settlement.kind === 'failed' || (settlement.kind === 'left' && settlement.ticket === undefined)
  );
}

type Sender = Pick<CollectOutcome, 'ip' | 'userAgent'>;

function outcomeOf(settlement: Settlement): Ending {
  switch (settlement.kind) {
    case 'limited':
      return { kind: 'limited', reasons: [] };
    case 'verified': {
      const { ticket, doubts, noted } = settlement;
      return { kind: 'verified', reasons: doubts, noted, ...subjectOf(ticket) };
    }
    case 'work':
      return { kind: 'work', reasons: settlement.doubts, ...subjectOf(settlement.ticket) };
    case 'rejected':
      return { kind: 'rejected', reasons: settlement.reasons, ...subjectOf(settlement.ticket) };
    case 'failed':
      return { kind: 'failed', reasons: [settlement.reason], ...subjectIn(settlement.ticket) };
    case 'left':
      return { kind: 'left', reasons: ['challenge_abandoned'], ...subjectIn(settlement.ticket) };
  }
}

function subjectIn(ticket: Ticket | undefined) {
  return ticket ? subjectOf(ticket) : {};
}

function subjectOf({ organisation, sessionId, reference }: Ticket) {
  return { organisation, session: sessionId, reference };
}

/**
 * The page of a rejected visitor reloads like the page of a verified visitor. The next decision then blocks (contract
 * 3).
 */
function answerTo(settlement: Settlement, failedStatus: 200 | 400): CollectAnswer {
  switch (settlement.kind) {
    case 'verified':
    case 'rejected':
      return answer(200, 'reload');
    case 'work': {
      const { task, doubts } = settlement;
      const requiredWork: RequiredWork = { result: doubts.length > 0 ? 'doubt' : 'work', task };
      return jsonAnswer(200, requiredWork);
    }
    case 'limited':
      return answer(429, 'retry', {
        'Retry-After': String(Math.ceil(settlement.waitMs / 1000)),
      });
    // No page is left to read this answer.
    case 'left':
      return answer(200, 'retry');
    case 'failed':
      return answer(failedStatus, settlement.result);
  }
}

function answer(
  status: number,
  result: UploadResult,
  headers?: Readonly<Record<string, string>>,
): CollectAnswer {
  return jsonAnswer(status, { result }, headers);
}

function isJson(contentType: string): boolean {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}
