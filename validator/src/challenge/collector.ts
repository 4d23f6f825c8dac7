import type {
  Clock,
  Collect,
  CollectAnswer,
  CollectRequest,
  SessionStore,
} from '@guard/config/contract/ports';
import { createSealer } from '../session/sealer.ts';
import type { CollectOutcome, Ending } from './collect-outcome.ts';
import { corsHeaders, preflight } from './cors.ts';
import { MAX_UPLOAD_BYTES, Upload, type UploadResult } from './evidence.ts';
import { settle, type Settlement } from './settle.ts';
import type { Ticket } from './ticket.ts';

export interface CollectorOptions {
  /** The same list as for createChallengeIssuer: the first signs, all verify. */
  readonly secrets: readonly string[];
  readonly store: SessionStore;
  readonly clock: Clock;
  /** How long a passed challenge holds, in milliseconds. */
  readonly sessionTtlMs: number;
  /** How long a rejected session is remembered before it may be challenged again. */
  readonly rejectedTtlMs: number;
  /** Whether pages of this origin may upload to another host than their own. */
  readonly allowedOrigin: (origin: string) => boolean;
  /** Told how each upload ended, before its answer goes out. Must not throw. */
  readonly report: (outcome: CollectOutcome) => void;
}

/** Handles `POST /verify` (spec 3: the challenge page's upload), and the preflight of its CORS form. */
export function createCollector(options: CollectorOptions): Collect {
  const { clock, report } = options;
  const sealer = createSealer(options.secrets, 'ticket');

  async function verify(request: CollectRequest): Promise<CollectAnswer> {
    const sent = { ip: request.ip, userAgent: headerOf(request, 'user-agent') };
    const upload = readUpload(request.body);
    if (!upload) {
      report({ ...sent, kind: 'failed', reasons: ['challenge_invalid'] });
      return answer(400, 'failed');
    }
    const facts = { ...sent, headers: request.headers };
    try {
      const settlement = await settle(upload, facts, clock(), { ...options, sealer });
      report({ ...sent, ...outcomeOf(settlement) });
      return answerTo(settlement);
    } catch {
      // settle() rejects only with its store. The page tries again by itself on a 5xx.
      report({ ...sent, kind: 'unavailable', reasons: [] });
      return answer(503, 'retry');
    }
  }

  return async (request) => {
    if (request.path !== '/verify') return empty(404);
    const cors = corsHeaders(request, options.allowedOrigin);
    if (request.method === 'OPTIONS') return preflight(cors);
    if (request.method !== 'POST') return empty(405, { Allow: 'POST, OPTIONS' });
    if (!isJson(headerOf(request, 'content-type'))) return empty(415, cors);
    if (Buffer.byteLength(request.body) > MAX_UPLOAD_BYTES) return empty(413, cors);
    const { status, headers, body } = await verify(request);
    return { status, headers: { ...headers, ...cors }, body };
  };
}

function readUpload(body: string): Upload | undefined {
  try {
    return Upload.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

function outcomeOf(settlement: Settlement): Ending {
  switch (settlement.kind) {
    case 'verified':
      return { kind: 'verified', reasons: [], ...subjectOf(settlement.ticket) };
    case 'rejected':
      return { kind: 'rejected', reasons: settlement.reasons, ...subjectOf(settlement.ticket) };
    case 'failed': {
      const subject = settlement.ticket ? subjectOf(settlement.ticket) : {};
      return { kind: 'failed', reasons: [settlement.reason], ...subject };
    }
  }
}

function subjectOf({ organisation, sessionId, reference }: Ticket) {
  return { organisation, session: sessionId, reference };
}

/** A rejected visitor reloads like a verified one: the next decision is the answer (spec 3). */
function answerTo(settlement: Settlement): CollectAnswer {
  switch (settlement.kind) {
    case 'verified':
    case 'rejected':
      return answer(200, 'reload');
    case 'failed':
      return answer(200, settlement.result);
  }
}

function answer(status: number, result: UploadResult): CollectAnswer {
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
    body: JSON.stringify({ result }),
  };
}

function empty(status: number, headers: Readonly<Record<string, string>> = {}): CollectAnswer {
  return { status, headers: { 'Cache-Control': 'no-store', ...headers }, body: '' };
}

function isJson(contentType: string): boolean {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

function headerOf(request: CollectRequest, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
