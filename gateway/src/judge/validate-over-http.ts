import type {
  Clock,
  Log,
  Metrics,
  Validate,
  ValidateFailure,
  ValidateOutcome,
} from '@guard/config/contract/ports';
import { ForeignValidateResponse } from '@guard/config/contract/validate-response';
import { truncateAddress } from '@guard/config/net/truncate-address';
import type { RemoteValidator } from '@guard/config/settings/schema';
import { Patience } from '@guard/config/time/patience';
import {
  type Admission,
  BREAKER_LIMITS,
  type BreakerChange,
  CircuitBreaker,
  type QuestionResult,
} from './remote/circuit-breaker.ts';
import {
  type ValidatorTerms,
  openPool,
  Question,
  type Reply,
  type Silence,
} from './remote/question.ts';
import { Queue, Window } from './remote/queue.ts';

export interface RemoteValidatorClient {
  readonly validate: Validate;
  /** Whether the breaker is open: the validator is not asked, because it gave no answer lately. */
  readonly isAway: () => boolean;
  /** Cuts all connections. */
  readonly close: () => Promise<void>;
}

interface RemotePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'count'>;
}

/** Bounds for one validator. Each is a count or a number of bytes, as its name says. */
export interface RemoteLimits {
  readonly connections: number;
  /** Questions that may wait for a connection. If more questions waited, they would not get an answer in time. */
  readonly waiting: number;
  /** Enough for a block page with its headers. */
  readonly maxAnswerBytes: number;
  readonly maxHeaderBytes: number;
}

const REMOTE_LIMITS: RemoteLimits = {
  connections: 256,
  waiting: 768,
  maxAnswerBytes: 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
};

const BREAKER_OPEN_OUTCOME: ValidateOutcome = {
  kind: 'failed',
  reason: 'breaker_open',
  detail: 'the validator has given no answer lately',
};

/**
 * Asks a validator by `POST {url}/validate` (contract 4.1) on kept connections. The time limit of a question is
 * `timeout` milliseconds, and includes waiting and connecting. Time in which this thread was busy is not counted. Every
 * failure is an outcome, and the promise never rejects. While the breaker is open, the outcome is returned at once.
 */
export function validateOverHttp(
  remote: RemoteValidator,
  ports: RemotePorts,
  limits: RemoteLimits = REMOTE_LIMITS,
): RemoteValidatorClient {
  const { origin, pathname } = new URL(remote.url);
  const patience = new Patience(remote.timeout);
  const window = new Window(remote.timeout, () => patience.counted);
  const connections = openPool(origin, limits, patience);
  const breaker = new CircuitBreaker(ports.clock, BREAKER_LIMITS, (change) => {
    reportChange(change, origin, ports);
  });
  const terms: ValidatorTerms = {
    connections,
    queue: new Queue(limits, window),
    window,
    patience,
    path: `${pathname.replace(/\/+$/, '')}/validate`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-api-key': remote.key,
    },
    maxAnswerBytes: limits.maxAnswerBytes,
  };

  function ask(
    body: string,
    network: string,
    admission: Exclude<Admission, 'refused'>,
    signal: AbortSignal | undefined,
  ): Promise<ValidateOutcome> {
    return new Promise((resolve) => {
      const question = new Question(terms, body, (reply) => {
        signal?.removeEventListener('abort', giveUp);
        breaker.settle(admission, resultOf(reply), network);
        resolve(readOutcome(reply));
      });
      const giveUp = () => {
        question.giveUp();
      };
      signal?.addEventListener('abort', giveUp);
      question.ask();
    });
  }

  return {
    validate: (request, { signal }) => {
      const admission = breaker.admit();
      if (admission === 'refused') return BREAKER_OPEN_OUTCOME;
      return ask(JSON.stringify(request), truncateAddress(request.ip), admission, signal);
    },
    isAway: () => breaker.isOpen,
    close: () => connections.pool.destroy(),
  };
}

/** Statuses with which a server, or a proxy in front of it, says that it cannot serve now. */
const UNAVAILABLE_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * The result for the breaker. An unusable answer is an answer too, because it came in time. A visitor whose request
 * provokes a 500 must not be able to stop the questions about all others.
 */
function resultOf(reply: Reply): QuestionResult {
  switch (reply.kind) {
    case 'answer':
      return UNAVAILABLE_STATUSES.has(reply.status) ? 'failed' : 'answered';
    case 'partial':
    case 'none':
      if (reply.cause === 'given up' || reply.cause === 'overloaded') return 'neither';
      return reply.cause === 'too large' ? 'answered' : 'failed';
  }
}

function reportChange(
  change: BreakerChange,
  validator: string,
  { log, metrics }: RemotePorts,
): void {
  metrics.count('guard_gateway_breaker_changes_total', change.kind);
  switch (change.kind) {
    case 'opened':
    case 'stayed_open':
      log('warn', `validator_breaker_${change.kind}`, { validator, pauseMs: change.pauseMs });
      return;
    case 'closed':
      log('info', 'validator_breaker_closed', { validator, openMs: change.openMs });
  }
}

/**
 * Contract 2.2, 2.5 and 7.1: the outcome of a reply. A 4xx is final as soon as its header section has come. Otherwise
 * an attacker who can cut the body could turn a rejected question into a pass.
 */
function readOutcome(reply: Reply): ValidateOutcome {
  switch (reply.kind) {
    case 'answer':
      return readAnswer(reply.status, reply.body.toString());
    case 'partial':
      if (isRejection(reply.status)) return rejectedOutcome(reply.status, undefined);
      if (reply.status >= 500) return failedOutcome('server_error', `status ${reply.status}`);
      return reply.cause === 'too large'
        ? failedOutcome('bad_answer', 'the answer is too large')
        : silentOutcome(reply.cause, 'the answer was not whole');
    case 'none':
      return silentOutcome(reply.cause, reply.detail);
  }
}

function readAnswer(status: number, text: string): ValidateOutcome {
  if (status >= 500) return failedOutcome('server_error', `status ${status}`);
  const body = parseJson(text);
  if (isRejection(status)) return rejectedOutcome(status, body);
  // Redirects are not followed, because the other server would get the secret key.
  if (status !== 200) return failedOutcome('bad_answer', `status ${status}`);
  if (field(body, 'success') === false) return failedOutcome('unsuccessful', 'success: false');
  const parseResult = ForeignValidateResponse.safeParse(body);
  return parseResult.success
    ? { kind: 'answered', response: parseResult.data }
    : failedOutcome('bad_answer', 'the answer does not have the shape of contract 2.2');
}

function isRejection(status: number): boolean {
  return status >= 400 && status < 500;
}

function rejectedOutcome(status: number, body: unknown): ValidateOutcome {
  const type = field(field(body, 'error'), 'type');
  const isName = typeof type === 'string' && /^\w{1,64}$/.test(type);
  return { kind: 'rejected', status, type: isName ? type : 'unknown' };
}

function silentOutcome(cause: Silence, detail: string): ValidateOutcome {
  return failedOutcome(cause === 'given up' ? 'timeout' : cause, detail);
}

function failedOutcome(reason: ValidateFailure, detail: string): ValidateOutcome {
  return { kind: 'failed', reason, detail };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
