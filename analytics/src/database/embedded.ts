import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Log, Metrics } from '@guard/config/contract/ports';
import { Backoff } from '../base/backoff.ts';
import { type ClockTrust, openClockTrust } from './clock-trust.ts';
import { keepDefinitions, restoreDefinitions } from './definitions.ts';
import { becomeReady, startServer, watchServer } from './embedded-process.ts';
import type { Engine, EngineState } from './engine.ts';
import type { EngineProcess } from './engine-process.ts';
import { untilRoom } from './room.ts';
import { describeStartFailure } from './start-failure.ts';

interface EmbeddedOptions {
  /** Folder of the data, the spilled events and the account files; made with mode 0700. */
  readonly path: string;
  readonly libraryPath: string;
  readonly organisations: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Called each time the database can be asked (again). */
  readonly onReady: () => void;
}

/**
 * Runs ClickHouse in a child process and keeps it running: it is pinged, killed when it does not
 * answer, and started again with back-off. `state` tells when it can be asked.
 */
export class EmbeddedEngine implements Engine {
  readonly #options: EmbeddedOptions;
  readonly #path: string;
  readonly #stop = new AbortController();
  readonly #backoff = new Backoff(100, 30_000);
  readonly #supervised: Promise<void>;
  #organisations: readonly string[];
  #outdated = new AbortController();
  /** Settled when a process that was started anew on purpose can be asked, or is known to fail. */
  #renewed = Promise.withResolvers<undefined>();
  #state: EngineState = { kind: 'away', message: 'The analytics database is starting.' };
  /** Since it could be asked last. */
  #failedStarts = 0;
  #child: EngineProcess | undefined;
  #trust: ClockTrust | undefined;

  constructor(options: EmbeddedOptions) {
    this.#options = options;
    this.#path = resolve(options.path);
    this.#organisations = options.organisations;
    this.#supervised = this.#supervise();
  }

  readonly state = (): EngineState => this.#state;

  readonly holdsDeletion = (): boolean => this.#trust?.doubted() ?? false;

  // Accounts are read once, at the start of the process, which takes about half a second: no
  // statement can make one (514), and `SYSTEM RELOAD USERS` reads nothing.
  setOrganisations(next: readonly string[]): void {
    const isNew = next.some((id) => !this.#organisations.includes(id));
    this.#organisations = next;
    if (isNew) this.#renew();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#trust?.close();
    await this.#child?.kill();
    await this.#supervised;
  }

  async #supervise(): Promise<void> {
    const { clock, log, metrics } = this.#options;
    const file = resolve(this.#path, 'clock');
    this.#trust = await openClockTrust({ file, clock, log, changed: () => this.#renew() });
    while (!this.#closed()) {
      const reason = await this.#live().catch((error: unknown) => {
        this.#startFailed(String(error));
        return String(error);
      });
      // Also where it ended before it could be asked, so that no caller waits for it.
      if (this.#closed() || !this.#outdated.signal.aborted) this.#leave();
      if (this.#closed()) return;
      if (this.#outdated.signal.aborted) continue;
      log('error', 'analytics_engine_ended', { reason });
      const { signal } = this.#stop;
      await sleep(this.#backoff.next(), undefined, { signal }).catch(() => undefined);
      metrics.count('guard_analytics_restarts_total');
    }
  }

  /** One life of the engine, from its start to its end; resolves with the reason of the end. */
  async #live(): Promise<string> {
    const { libraryPath, log, onReady } = this.#options;
    const path = this.#path;
    this.#outdated = new AbortController();
    const told = AbortSignal.any([this.#stop.signal, this.#outdated.signal]);
    const restored = await restoreDefinitions(path);
    if (restored.length > 0) {
      log('warn', 'analytics_definition_restored', { tables: restored.join() });
    }
    const holdDeletion = this.holdsDeletion();
    const organisations = this.#organisations;
    const started = await startServer({
      ...{ path, libraryPath, organisations, holdDeletion },
    });
    const { database, process } = started;
    this.#child = process;
    try {
      const room = (): Promise<string | undefined> =>
        untilRoom(path, process, told, (reason, isFirst) => {
          this.#fail(`The analytics database waits: ${reason}.`);
          if (isFirst) log('error', 'analytics_waits_for_room', { reason });
        });
      const problem = await becomeReady(started, this.#stop.signal, room);
      if (problem !== undefined) {
        if (!told.aborted) this.#startFailed(problem);
        return problem;
      }
      await keepDefinitions(path).catch((error: unknown) => {
        log('warn', 'analytics_definition_not_kept', { reason: String(error) });
      });
      this.#state = { kind: 'ready', database };
      this.#failedStarts = 0;
      this.#renewed.resolve(undefined);
      log('info', 'analytics_ready', { pid: process.pid ?? 0 });
      onReady();
      return await watchServer(database.client, process, told, () => this.#backoff.reset());
    } finally {
      this.#leave();
      database.client.close();
      await process.kill();
    }
  }

  /** A process that is started with what holds now takes the place of the one that runs. */
  #renew(): void {
    this.#outdated.abort();
  }

  /** A start that fails for an unknown cause is tried once more before it is said. */
  #startFailed(reason: string): void {
    this.#failedStarts += 1;
    const { message, isKnown } = describeStartFailure(reason);
    if (isKnown || this.#failedStarts > 1) this.#fail(message);
  }

  /** It cannot be asked, and not for a moment only. */
  #fail(message: string): void {
    this.#state = { kind: 'failing', message };
  }

  /** It cannot be asked any more: for a moment where it is renewed, else for an unknown time. */
  #leave(): void {
    const message = 'The analytics database is starting again.';
    this.#renewed.resolve(undefined);
    if (this.#closed()) {
      this.#state = { kind: 'away', message };
      return;
    }
    // Why it does not start stays said until it has.
    if (this.#state.kind === 'failing') return;
    if (this.#outdated.signal.aborted) {
      this.#renewed = Promise.withResolvers();
      this.#state = { kind: 'away', message, back: this.#renewed.promise };
    } else {
      this.#state = { kind: 'away', message };
    }
  }

  #closed(): boolean {
    return this.#stop.signal.aborted;
  }
}
