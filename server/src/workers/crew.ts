import type { Analytics } from '@guard/analytics';
import type { Clock, Log } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import { allocateStore, ThreadStore } from '@guard/validator';
import type { Addresses } from '../listeners/listen.ts';
import type { MetricsPage } from '../metrics/metrics.ts';
import type { ProcessContext } from '../process/process-context.ts';
import { Answers } from './answers.ts';
import { Member, type Work } from './member.ts';
import type { Announced } from './messages.ts';

/** What the workers begin with, when the main thread listens. */
export interface CrewBeginning {
  readonly settings: Settings;
  /** Of the main thread's listeners. */
  readonly addresses: Addresses;
  readonly analytics: Pick<Analytics, 'accept' | 'waiting'>;
}

const THREAD = new URL('./thread.ts', import.meta.url);
/** A worker that does not answer in this time hangs, or has ended: the others go on. */
const HEARD_WITHIN_MS = 250;
const RELOADED_WITHIN_MS = 20_000;
/** Longer than a gateway drains. */
const CLOSED_WITHIN_MS = 35_000;
const RESTART_MS = { first: 500, longest: 30_000 } as const;
const BACKLOG_EVERY_MS = 100;
const SESSIONS_A_MESSAGE = 1_000;

/**
 * The worker threads of a process. Each has a gateway that listens at the same addresses; the kernel
 * gives every new connection to one of them. This is the hub between them: what one judges all of them
 * know before its visitor is answered, and events and counters come together here.
 */
export class Crew {
  /** The main thread's own; unused where the store is elsewhere. */
  readonly store: ThreadStore;
  readonly memory = allocateStore();
  readonly #workers: number;
  readonly #program: URL;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #metrics: MetricsPage;
  readonly #members = new Set<Member>();
  readonly #heard = new Answers(HEARD_WITHIN_MS);
  readonly #reloaded = new Answers(RELOADED_WITHIN_MS);
  readonly #backlog = new Int32Array(new SharedArrayBuffer(4));
  #beginning: CrewBeginning | undefined;
  #watch: NodeJS.Timeout | undefined;
  #restartMs: number = RESTART_MS.first;
  #lostAt = 0;
  #closing = false;

  /** `workers`: threads beside the main one, which run `program`. */
  constructor(workers: number, { clock, log, metrics }: ProcessContext, program = THREAD) {
    this.#workers = workers;
    this.#program = program;
    this.#clock = clock;
    this.#log = log;
    this.#metrics = metrics;
    this.store = new ThreadStore(clock, this.memory, (id, session, expiresAt) =>
      this.#spread({ id, session, expiresAt }, undefined),
    );
    metrics.gauge('guard_workers', () => 1 + this.#members.size);
  }

  /** Resolves when every worker listens; rejects with the reason when one cannot. */
  async begin(beginning: CrewBeginning): Promise<void> {
    this.#beginning = beginning;
    this.#watch = setInterval(() => {
      Atomics.store(this.#backlog, 0, beginning.analytics.waiting());
    }, BACKLOG_EVERY_MS);
    this.#watch.unref();
    const members = Array.from({ length: this.#workers }, () => this.#enlist(beginning));
    await Promise.all(members.map(({ began }) => began));
  }

  /** Brings settings that are in force in the main thread into force in every worker. */
  async reload(settings: Settings): Promise<void> {
    if (this.#beginning) this.#beginning = { ...this.#beginning, settings };
    const told = [...this.#members].map((member) =>
      this.#reloaded.ask((number) => {
        member.tell({ kind: 'reload', settings, number });
      }),
    );
    await Promise.all(told);
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#watch);
    await Promise.all([...this.#members].map((member) => member.end(CLOSED_WITHIN_MS)));
  }

  #enlist({ settings, addresses, analytics }: CrewBeginning): Member {
    const member = new Member(
      this.#program,
      { settings, addresses, memory: this.memory, backlog: this.#backlog },
      {
        onWork: (from, work) => {
          this.#take(from, work, analytics);
        },
        onEnd: (ended, reason) => {
          this.#lose(ended, reason);
        },
      },
    );
    // First on the list, then told: what is judged meanwhile comes behind, and nothing falls between.
    this.#members.add(member);
    let sessions: Announced[] = [];
    for (const [id, session, expiresAt] of this.store.sessions()) {
      sessions.push({ id, session: { ...session }, expiresAt });
      if (sessions.length < SESSIONS_A_MESSAGE) continue;
      member.tell({ kind: 'sessions', sessions });
      sessions = [];
    }
    if (sessions.length > 0) member.tell({ kind: 'sessions', sessions });
    return member;
  }

  #take(from: Member, work: Work, analytics: CrewBeginning['analytics']): void {
    switch (work.kind) {
      case 'announce': {
        const { announced, number } = work;
        this.store.adopt(announced.id, announced.session, announced.expiresAt);
        void this.#spread(announced, from).then(() => {
          from.tell({ kind: 'known', number });
        });
        return;
      }
      case 'heard':
        this.#heard.answered(work.number);
        return;
      case 'counted':
        this.#metrics.adopt(from, work.tally);
        return;
      case 'events':
        analytics.accept(work.to, work.batch);
        return;
      case 'reloaded':
        if (work.fault !== undefined) {
          this.#log('error', 'worker_reload_failed', { reason: work.fault });
        }
        this.#reloaded.answered(work.number);
        return;
    }
  }

  /** Resolves when everyone but `from` knows the session. */
  async #spread(announced: Announced, from: Member | undefined): Promise<void> {
    const told = [...this.#members]
      .filter((member) => member !== from)
      .map((member) =>
        this.#heard.ask((number) => {
          member.tell({ kind: 'session', announced, number });
        }),
      );
    await Promise.all(told);
  }

  /** A worker that ends unasked is begun again, later each time; the others take its visitors meanwhile. */
  #lose(member: Member, reason: string): void {
    this.#members.delete(member);
    this.#metrics.forget(member);
    if (this.#closing) return;
    const now = this.#clock();
    // One that ends long after the last one is a new misfortune, and not the same one again.
    if (now - this.#lostAt > 2 * RESTART_MS.longest) this.#restartMs = RESTART_MS.first;
    this.#lostAt = now;
    this.#log('error', 'worker_ended', { reason, againInMs: this.#restartMs });
    this.#metrics.count('guard_workers_restarted_total');
    const timer = setTimeout(() => {
      if (!this.#closing && this.#beginning) this.#enlist(this.#beginning);
    }, this.#restartMs);
    timer.unref();
    this.#restartMs = Math.min(2 * this.#restartMs, RESTART_MS.longest);
  }
}
