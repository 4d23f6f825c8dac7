import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Log, Metrics } from '@guard/config/contract/ports';
import { Backoff } from '@guard/config/time/backoff';
import { type ClockTrust, openClockTrust } from './clock-trust.ts';
import { keepDefinitions, restoreDefinitions } from './definitions.ts';
import { waitUntilReady, startServer, watchServer } from './embedded-process.ts';
import type { Engine, EngineState } from './engine.ts';
import type { EngineProcess } from './engine-process.ts';

/** Free disk space that a change of table definitions needs, and how often it is checked. */
const ROOM_MIB = 64;
const LOOK_EVERY_MS = 5000;
const MIB = 1024 ** 2;

/** Signs in the output of a failed start, with their meaning. The first match counts. */
const CAUSES: readonly (readonly [sign: RegExp, meaning: string])[] = [
  [/ENOSPC|No space left on device|NOT_ENOUGH_SPACE/, 'there is no free space on its disk'],
  [/EROFS|Read-only file system/, 'its folder is on a disk that is read-only'],
  [/EACCES|EPERM|Permission denied/, 'Guard may not write into its folder'],
  [/Another server instance/, 'another Guard uses its folder'],
  [
    /Cannot parse definition from metadata file/,
    'the definition of a table is damaged, and there is no copy of it',
  ],
];

interface EmbeddedOptions {
  /** The folder of the data, the spilled events and the account files. It is created with mode 0700. */
  readonly path: string;
  readonly libraryPath: string;
  readonly organisations: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Called each time the database becomes available. */
  readonly onReady: () => void;
}

/** Runs ClickHouse in a child process: pings it, kills it when it is silent, and restarts it with back-off. */
export class EmbeddedEngine implements Engine {
  readonly #options: EmbeddedOptions;
  readonly #path: string;
  readonly #stop = new AbortController();
  readonly #backoff = new Backoff(100, 30_000);
  readonly #supervised: Promise<void>;
  #organisations: readonly string[];
  #outdated = new AbortController();
  /** Settles when a deliberate restart is over: the database is available, or the start has failed. */
  #renewed = Promise.withResolvers<undefined>();
  #state: EngineState = { kind: 'away', message: 'The analytics database is starting.' };
  /** When the database was last available. */
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

  // The process reads accounts once, at its start, which takes about half a second. No statement can create one (error
  // 514), and `SYSTEM RELOAD USERS` does not read the files.
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
      // Needed also when the process ended before it was ready, so that no caller waits for it.
      if (this.#closed() || !this.#outdated.signal.aborted) this.#leave();
      if (this.#closed()) return;
      if (this.#outdated.signal.aborted) continue;
      log('error', 'analytics_engine_ended', { reason });
      const { signal } = this.#stop;
      await sleep(this.#backoff.next(), undefined, { signal }).catch(() => undefined);
      metrics.count('guard_analytics_restarts_total');
    }
  }

  /** Runs the engine from its start to its end. Resolves with the reason of the end. */
  async #live(): Promise<string> {
    const { libraryPath, log, onReady } = this.#options;
    const path = this.#path;
    this.#outdated = new AbortController();
    const stop = AbortSignal.any([this.#stop.signal, this.#outdated.signal]);
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
        untilRoom(path, process, stop, (reason, isFirst) => {
          this.#fail(`The analytics database waits: ${reason}.`);
          if (isFirst) log('error', 'analytics_waits_for_room', { reason });
        });
      const problem = await waitUntilReady(started, this.#stop.signal, room);
      if (problem !== undefined) {
        if (!stop.aborted) this.#startFailed(problem);
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
      return await watchServer(database.client, process, stop, () => this.#backoff.reset());
    } finally {
      this.#leave();
      database.client.close();
      await process.kill();
    }
  }

  /** Replaces the running process by one with the current settings. */
  #renew(): void {
    this.#outdated.abort();
  }

  /** A start that fails for an unknown cause is tried once more before the failure is reported. */
  #startFailed(reason: string): void {
    this.#failedStarts += 1;
    const { message, isKnown } = describeStartFailure(reason);
    if (isKnown || this.#failedStarts > 1) this.#fail(message);
  }

  /** Marks the database as failing: it needs an operator. */
  #fail(message: string): void {
    this.#state = { kind: 'failing', message };
  }

  /** Marks the database as away: briefly during a deliberate restart, else for an unknown time. */
  #leave(): void {
    const message = 'The analytics database is starting again.';
    this.#renewed.resolve(undefined);
    if (this.#closed()) {
      this.#state = { kind: 'away', message };
      return;
    }
    // The reason of a failed start stays visible until a start succeeds.
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

/**
 * Resolves with undefined when the disk of `path` has room for new definitions, or with the reason why the wait has
 * ended.
 *
 * @param waits Called at each check, with the missing room.
 */
async function untilRoom(
  path: string,
  process: EngineProcess,
  stop: AbortSignal,
  waits: (reason: string, isFirst: boolean) => void,
): Promise<string | undefined> {
  const over = new AbortController();
  void process.ended.then(() => over.abort());
  const either = AbortSignal.any([stop, over.signal]);
  for (let isFirst = true; ; isFirst = false) {
    const { bavail, bsize } = await statfs(path);
    const free = Math.floor((bavail * bsize) / MIB);
    if (free >= ROOM_MIB) return undefined;
    const need = `${ROOM_MIB} MiB of free space on its disk, and ${free} MiB are free`;
    waits(`a change of its tables needs ${need}`, isFirst);
    await sleep(LOOK_EVERY_MS, undefined, { signal: either }).catch(() => undefined);
    if (either.aborted) return 'it ended while it waited for room';
  }
}

/**
 * The reason of a failed start, for callers. Only the log has the paths. `isKnown` means that the next attempt will
 * fail in the same way. An unknown cause can be over by then, such as a port that another program used.
 */
function describeStartFailure(reason: string): { message: string; isKnown: boolean } {
  const meaning = CAUSES.find(([sign]) => sign.test(reason))?.[1];
  return {
    message: `The analytics database cannot start: ${meaning ?? 'the log of Guard says why'}.`,
    isKnown: meaning !== undefined,
  };
}
