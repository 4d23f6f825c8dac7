import { availableParallelism } from 'node:os';
import type { Analytics } from '@guard/analytics';
import type { CrowdsecChanges } from '@guard/config/contract/crowdsec';
import type { Clock, Log } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import { Backoff } from '@guard/config/time/backoff';
import { inSlices, workInSlices } from '@guard/config/time/slices';
import type { ListenAddress } from '@guard/config/settings/values/values';
import { allocateStore, ThreadStore } from '@guard/validator';
import type { Addresses } from '../listeners/listen.ts';
import type { NewSettings } from '../reload/read-again.ts';
import { toPieces } from '../reload/settings-pieces.ts';
import type { MetricsPage } from '../metrics/metrics.ts';
import type { ProcessContext } from '../process/process-context.ts';
import { PendingReplies } from './pending-replies.ts';
import { type SharedSession, WorkerHandle, type WorkerMessage } from './worker-handle.ts';

type ReloadReply = Extract<WorkerMessage, { kind: 'reloaded' }>;

interface WorkerPoolStart {
  readonly settings: Settings;
  readonly addresses: Addresses;
  readonly analytics: Pick<Analytics, 'accept' | 'waiting'>;
}

const GATEWAY_WORKER = new URL('./gateway-worker.ts', import.meta.url);
/** A worker that does not reply within this time hangs or has ended. The other threads continue without its reply. */
const SESSION_TIMEOUT_MS = 250;
const RELOAD_TIMEOUT_MS = 20_000;
/** This is longer than a gateway needs to finish its requests. */
const CLOSE_TIMEOUT_MS = 35_000;
const RESTART_MS = { first: 500, longest: 30_000 } as const;
const BACKLOG_INTERVAL_MS = 100;
const SESSIONS_PER_MESSAGE = 1_000;

/**
 * The worker threads of a process, for the main thread. Each has a gateway at the same addresses, and the kernel gives
 * every new connection to one thread. When a thread has verified a visitor, the pool sends the session to all other
 * threads before the visitor gets the answer. The workers send their events and metrics to the pool.
 */
export class WorkerPool {
  /** The store of the main thread. The pool does not use it when sessions are in Redis. */
  readonly store: ThreadStore;
  readonly memory = allocateStore();
  /** All decisions of CrowdSec, for a new worker. */
  allCrowdsecDecisions: () => CrowdsecChanges | undefined = () => undefined;
  readonly #size: number;
  readonly #program: URL;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #metrics: MetricsPage;
  readonly #workers = new Set<WorkerHandle>();
  readonly #sessionReplies = new PendingReplies(SESSION_TIMEOUT_MS);
  readonly #reloadReplies = new PendingReplies<ReloadReply>(RELOAD_TIMEOUT_MS);
  readonly #backoff = new Backoff(RESTART_MS.first, RESTART_MS.longest);
  readonly #backlog = new Int32Array(new SharedArrayBuffer(4));
  #startOptions: WorkerPoolStart | undefined;
  #backlogTimer: NodeJS.Timeout | undefined;
  #lastWorkerEndAt = 0;
  #isClosing = false;

  /** `size` is the number of threads besides the main thread. Each of these threads runs `program`. */
  constructor(size: number, { clock, log, metrics }: ProcessContext, program = GATEWAY_WORKER) {
    this.#size = size;
    this.#program = program;
    this.#clock = clock;
    this.#log = log;
    this.#metrics = metrics;
    this.store = new ThreadStore(clock, this.memory, (id, session, expiresAt) =>
      this.#share({ id, session, expiresAt }, undefined),
    );
    metrics.gauge('guard_workers', () => 1 + this.#workers.size);
  }

  /** Starts the workers. Resolves when every worker listens. Rejects with the reason when a worker cannot listen. */
  async start(start: WorkerPoolStart): Promise<void> {
    this.#startOptions = start;
    this.#backlogTimer = setInterval(() => {
      Atomics.store(this.#backlog, 0, start.analytics.waiting());
    }, BACKLOG_INTERVAL_MS);
    this.#backlogTimer.unref();
    const workers = Array.from({ length: this.#size }, () => this.#startWorker(start));
    await Promise.all(workers.map(({ started }) => started));
  }

  /** Sends the applied settings to every worker. Resolves with the number of workers that have not applied them. */
  async reload({ settings, revision }: NewSettings): Promise<number> {
    if (this.#startOptions) this.#startOptions = { ...this.#startOptions, settings };
    const pieces = await workInSlices(toPieces(settings), inSlices());
    const { listen, store, analytics, workers } = settings;
    const atStart = { listen, store, analytics, workers };
    const results = [...this.#workers].map(async (worker) => {
      const reply = await this.#reloadReplies.ask((number) => {
        worker.send({ kind: 'reload', pieces, atStart, revision, number });
      });
      return this.#hasApplied(worker, reply);
    });
    return (await Promise.all(results)).filter((hasApplied) => !hasApplied).length;
  }

  /**
   * Whether a worker has applied new settings. A worker that cannot apply them is ended, and starts again with them. A
   * slow worker applies them later.
   */
  #hasApplied(worker: WorkerHandle, reply: ReloadReply | undefined): boolean {
    // A worker that has ended starts again with the new settings, so the result is true.
    if (!this.#workers.has(worker)) return true;
    const reason = reply ? reply.fault : `no reply in ${RELOAD_TIMEOUT_MS / 1000} seconds`;
    if (reason === undefined) return true;
    this.#log('error', 'worker_reload_failed', { reason });
    if (reply) void worker.end(CLOSE_TIMEOUT_MS, 'it could not apply new settings');
    return false;
  }

  sendCrowdsec(changes: CrowdsecChanges): void {
    for (const worker of this.#workers) worker.send({ kind: 'crowdsec', changes });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#backlogTimer);
    await Promise.all([...this.#workers].map((worker) => worker.end(CLOSE_TIMEOUT_MS)));
  }

  #startWorker({ settings, addresses, analytics }: WorkerPoolStart): WorkerHandle {
    const newWorker = new WorkerHandle(
      this.#program,
      { settings, addresses, memory: this.memory, backlog: this.#backlog },
      {
        onMessage: (worker, message) => {
          this.#handle(worker, message, analytics);
        },
        onEnd: (worker, reason) => {
          this.#restartWorker(worker, reason);
        },
      },
    );
    // The worker joins the pool before the earlier sessions are sent. A session that is verified meanwhile is sent
    // after them. So the worker gets every session.
    this.#workers.add(newWorker);
    let sessions: SharedSession[] = [];
    for (const [id, session, expiresAt] of this.store.sessions()) {
      sessions.push({ id, session: { ...session }, expiresAt });
      if (sessions.length < SESSIONS_PER_MESSAGE) continue;
      newWorker.send({ kind: 'sessions', sessions });
      sessions = [];
    }
    if (sessions.length > 0) newWorker.send({ kind: 'sessions', sessions });
    const changes = this.allCrowdsecDecisions();
    if (changes !== undefined) newWorker.send({ kind: 'crowdsec', changes });
    return newWorker;
  }

  #handle(
    worker: WorkerHandle,
    message: WorkerMessage,
    analytics: WorkerPoolStart['analytics'],
  ): void {
    switch (message.kind) {
      case 'share-session': {
        const { shared, number } = message;
        this.store.adopt(shared.id, shared.session, shared.expiresAt);
        void this.#share(shared, worker).then(() => {
          worker.send({ kind: 'session-shared', number });
        });
        return;
      }
      case 'session-received':
        this.#sessionReplies.resolveReply(message.number);
        return;
      case 'metrics':
        this.#metrics.addReport(worker, message.report);
        return;
      case 'events':
        analytics.accept(message.to, message.batch);
        return;
      case 'reloaded':
        this.#reloadReplies.resolveReply(message.number, message);
        return;
    }
  }

  /** Sends a session to the workers. Resolves when every worker except `sender` has the session. */
  async #share(shared: SharedSession, sender: WorkerHandle | undefined): Promise<void> {
    const replies = [...this.#workers]
      .filter((worker) => worker !== sender)
      .map((worker) =>
        this.#sessionReplies.ask((number) => {
          worker.send({ kind: 'session', shared, number });
        }),
      );
    await Promise.all(replies);
  }

  /** After a growing delay, starts a worker again that has ended. Meanwhile the other threads serve visitors. */
  #restartWorker(worker: WorkerHandle, reason: string): void {
    this.#workers.delete(worker);
    this.#metrics.removeWorker(worker);
    if (this.#isClosing) return;
    const now = this.#clock();
    // When no worker has ended for a long time, the cause is probably new. So the delay begins with its shortest value.
    if (now - this.#lastWorkerEndAt > 2 * RESTART_MS.longest) this.#backoff.reset();
    const restartInMs = this.#backoff.next();
    this.#lastWorkerEndAt = now;
    this.#log('error', 'worker_ended', { reason, againInMs: restartInMs });
    this.#metrics.count('guard_workers_restarted_total');
    const timer = setTimeout(() => {
      if (!this.#isClosing && this.#startOptions) this.#startWorker(this.#startOptions);
    }, restartInMs);
    timer.unref();
  }
}

/** The number of threads that run a gateway, including the main thread. */
export function threadCount({ workers, listen }: Pick<Settings, 'workers' | 'listen'>): number {
  if (!listen.gateway && !listen.gateway_tls) return 1;
  return workers === 'auto' ? availableParallelism() : workers;
}

/** The addresses of the gateway with their real ports, so that workers can listen there too. */
export function sharedAddresses(
  listen: Settings['listen'],
  boundAddresses: Addresses,
): Settings['listen'] {
  const { gateway, gateway_tls } = listen;
  return {
    ...listen,
    gateway: gateway && withPort(gateway, boundAddresses.gateway),
    gateway_tls: gateway_tls && withPort(gateway_tls, boundAddresses.gateway_tls),
  };
}

function withPort(address: ListenAddress, url: string | undefined): ListenAddress {
  const port = /:(\d+)$/.exec(url ?? '')?.[1];
  return address.kind === 'tcp' && port !== undefined
    ? { ...address, port: Number(port) }
    : address;
}
