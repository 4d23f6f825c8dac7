import type { Clock, Log, Metrics, Validate, ValidateOutcome } from '@guard/config/contract/ports';
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
import { openPool } from './remote/pool.ts';
import { type Asking, Question, type Reply } from './remote/question.ts';
import { Queue } from './remote/queue.ts';
import { readOutcome } from './remote/read-outcome.ts';
import { Window } from './remote/window.ts';

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

/** Statuses by which a server, or a proxy before it, says that it is not there for anybody. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * What a reply says about the validator as a whole. An answer that is of no use counts as one here: it
 * cost no waiting, and a visitor who can provoke a 500 by what he sends must not be able to switch off
 * the questions about everybody else.
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
