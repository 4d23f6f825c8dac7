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
  type Ended,
} from './remote/circuit-breaker.ts';
import { type Asking, openPool, Question, type Reply, type Silence } from './remote/question.ts';
import { Queue, Window } from './remote/queue.ts';

export interface RemoteValidatorClient {
  readonly validate: Validate;
  /** It is not asked at present, because it gave no answer lately. */
  readonly isAway: () => boolean;
  /** Cuts what is under way. */
  readonly close: () => Promise<void>;
}

interface RemotePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'count'>;
}

/** Bounds of the way to one validator. Counts, bytes. */
export interface RemoteLimits {
  readonly connections: number;
  /** Questions that may wait for a connection. Beyond them there is no answer to be had in time. */
  readonly waiting: number;
  /** A block page and its headers, with room. */
  readonly maxAnswerBytes: number;
  readonly maxHeaderBytes: number;
}

const REMOTE_LIMITS: RemoteLimits = {
  connections: 256,
  waiting: 768,
  maxAnswerBytes: 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
};

const NOT_ASKED: ValidateOutcome = {
  kind: 'failed',
  reason: 'breaker_open',
  detail: 'the validator has given no answer lately',
};

/**
 * Asks a validator over `POST {url}/validate` (contract 4.1) on kept connections. The whole question, waiting and
 * connecting included, has `timeout` milliseconds of the time that this thread had to listen; every way it can go wrong is an outcome, and it never
 * rejects. While the validator gives no answers it is not asked, and the outcome is there at once.
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
    tell(change, origin, ports);
  });
  const asking: Asking = {
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
      const question = new Question(asking, body, (reply) => {
        signal?.removeEventListener('abort', giveUp);
        breaker.settle(admission, endedOf(reply), network);
        resolve(readOutcome(reply));
      });
      const giveUp = () => {
        question.giveUp('given up');
      };
      signal?.addEventListener('abort', giveUp);
      question.ask();
    });
  }

  return {
    validate: (request, { signal }) => {
      const admission = breaker.admit();
      if (admission === 'refused') return NOT_ASKED;
      return ask(JSON.stringify(request), truncateAddress(request.ip), admission, signal);
    },
    isAway: () => breaker.isOpen,
    close: () => connections.pool.destroy(),
  };
}

/** Statuses by which a server, or a proxy before it, says that it serves no client now. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * What a reply says about the validator as a whole. A useless answer counts as an answer here: it
 * cost no waiting. A visitor whose request provokes a 500 must not be able to switch off the questions about
 * all others.
 */
function endedOf(reply: Reply): Ended {
  switch (reply.kind) {
    case 'answer':
      return AWAY.has(reply.status) ? 'failed' : 'answered';
    case 'partial':
    case 'none':
      if (reply.why === 'given up' || reply.why === 'overloaded') return 'neither';
      return reply.why === 'too large' ? 'answered' : 'failed';
  }
}

function tell(change: BreakerChange, validator: string, { log, metrics }: RemotePorts): void {
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
 * Contract 2.2, 2.5 and 7.1: what a reply means. A 4xx is an answer as soon as its header section is there:
 * an attacker who can stop or cut the body must not turn a refused question into a passed visitor.
 */
function readOutcome(reply: Reply): ValidateOutcome {
  switch (reply.kind) {
    case 'answer':
      return readAnswer(reply.status, reply.body.toString());
    case 'partial':
      if (isRejection(reply.status)) return rejected(reply.status, undefined);
      if (reply.status >= 500) return failed('server_error', `status ${reply.status}`);
      return reply.why === 'too large'
        ? failed('bad_answer', 'the answer is too large')
        : silent(reply.why, 'the answer was not whole');
    case 'none':
      return silent(reply.why, reply.detail);
  }
}

function readAnswer(status: number, text: string): ValidateOutcome {
  if (status >= 500) return failed('server_error', `status ${status}`);
  const body = parseJson(text);
  if (isRejection(status)) return rejected(status, body);
  // A redirect is followed nowhere: the key would go with the question.
  if (status !== 200) return failed('bad_answer', `status ${status}`);
  if (field(body, 'success') === false) return failed('unsuccessful', 'success: false');
  const parsed = ForeignValidateResponse.safeParse(body);
  return parsed.success
    ? { kind: 'answered', response: parsed.data }
    : failed('bad_answer', 'the answer has not the shape of contract 2.2');
}

function isRejection(status: number): boolean {
  return status >= 400 && status < 500;
}

function rejected(status: number, body: unknown): ValidateOutcome {
  const type = field(field(body, 'error'), 'type');
  const isName = typeof type === 'string' && /^\w{1,64}$/.test(type);
  return { kind: 'rejected', status, type: isName ? type : 'unknown' };
}

function silent(why: Silence, detail: string): ValidateOutcome {
  return failed(why === 'given up' ? 'timeout' : why, detail);
}

function failed(reason: ValidateFailure, detail: string): ValidateOutcome {
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
