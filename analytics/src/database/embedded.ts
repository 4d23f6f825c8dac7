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

/** A change of table definitions needs this much free disk space. Guard checks the space this often. */
const NEEDED_FREE_MIB = 64;
const LOOK_EVERY_MS = 5000;
const MIB = 1024 ** 2;

/** Texts in the output of a failed start, with the cause of the failure. The first text that matches is used. */
const START_FAILURES: readonly (readonly [sign: RegExp, meaning: string])[] = [
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

/** Runs ClickHouse in a child process. Pings the process, kills it when it is silent, and restarts it with back-off. */
export class EmbeddedEngine implements Engine {
  readonly #options: EmbeddedOptions;
  readonly #path: string;
  readonly #stop = new AbortController();
  readonly #backoff = new Backoff(100, 30_000);
  readonly #supervision: Promise<void>;
  #organisations: readonly string[];
  #restartRequest = new AbortController();
  /** Settles at the end of a deliberate restart: the database is available, or the start has failed. */
  #restartEnd = Promise.withResolvers<undefined>();
  #state: EngineState = { kind: 'away', message: 'The analytics database is starting.' };
  /** How many starts have failed one after the other. */
  #failedStarts = 0;
  #child: EngineProcess | undefined;
  #clockTrust: ClockTrust | undefined;

  constructor(options: EmbeddedOptions) {
    this.#options = options;
    this.#path = resolve(options.path);
    this.#organisations = options.organisations;
    this.#supervision = this.#supervise();
  }

  readonly state = (): EngineState => this.#state;

  readonly stopsDeletion = (): boolean => this.#clockTrust?.isDoubted() ?? false;

  // The engine reads accounts only at its start, so it restarts for a new organisation. A start takes about half a
  // second. No statement can create an account (error 514), and `SYSTEM RELOAD USERS` does not read the files.
  setOrganisations(newOrganisations: readonly string[]): void {
    const isNew = newOrganisations.some((id) => !this.#organisations.includes(id));
    this.#organisations = newOrganisations;
    if (isNew) this.#restart();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#clockTrust?.close();
    await this.#child?.kill();
    await this.#supervision;
  }

  async #supervise(): Promise<void> {
    const { clock, log, metrics } = this.#options;
    const file = resolve(this.#path, 'clock');
    this.#clockTrust = await openClockTrust({ file, clock, log, onChanged: () => this.#restart() });
    while (!this.#isClosed()) {
      const reason = await this.#runOnce().catch((error: unknown) => {
        this.#reportFailedStart(String(error));
        return String(error);
      });
      // The process may have ended before it was ready. Then callers wait for the end of a restart, so the state must
      // change here too.
      if (this.#isClosed() || !this.#restartRequest.signal.aborted) this.#markAway();
      if (this.#isClosed()) return;
      if (this.#restartRequest.signal.aborted) continue;
      log('error', 'analytics_engine_ended', { reason });
      const { signal } = this.#stop;
      await sleep(this.#backoff.next(), undefined, { signal }).catch(() => undefined);
      metrics.count('guard_analytics_restarts_total');
    }
  }

  /** Runs the engine from its start to its end. Resolves with the reason of the end. */
  async #runOnce(): Promise<string> {
    const { libraryPath, log, onReady } = this.#options;
    const path = this.#path;
    this.#restartRequest = new AbortController();
    const stop = AbortSignal.any([this.#stop.signal, this.#restartRequest.signal]);
    const restoredTables = await restoreDefinitions(path);
    if (restoredTables.length > 0) {
      log('warn', 'analytics_definition_restored', { tables: restoredTables.join() });
    }
    const stopsDeletion = this.stopsDeletion();
    const organisations = this.#organisations;
    const startedEngine = await startServer({
      path,
      libraryPath,
      organisations,
      stopsDeletion,
    });
    const { database, process } = startedEngine;
    this.#child = process;
    try {
      const waitForRoom = (): Promise<string | undefined> =>
        waitForDiskRoom(path, process, stop, (reason, isFirst) => {
          this.#markFailing(`The analytics database waits: ${reason}.`);
          if (isFirst) log('error', 'analytics_waits_for_room', { reason });
        });
      const problem = await waitUntilReady(startedEngine, this.#stop.signal, waitForRoom);
      if (problem !== undefined) {
        if (!stop.aborted) this.#reportFailedStart(problem);
        return problem;
      }
      await keepDefinitions(path).catch((error: unknown) => {
        log('warn', 'analytics_definition_not_kept', { reason: String(error) });
      });
      this.#state = { kind: 'ready', database };
      this.#failedStarts = 0;
      this.#restartEnd.resolve(undefined);
      log('info', 'analytics_ready', { pid: process.pid ?? 0 });
      onReady();
      return await watchServer(database.client, process, stop, () => this.#backoff.reset());
    } finally {
      this.#markAway();
      database.client.close();
      await process.kill();
    }
  }

  /** Replaces the running process by one with the current settings. */
  #restart(): void {
    this.#restartRequest.abort();
  }

  /** A start that fails for an unknown cause is tried once more before the failure is reported. */
  #reportFailedStart(reason: string): void {
    this.#failedStarts += 1;
    const { message, isKnown } = describeStartFailure(reason);
    if (isKnown || this.#failedStarts > 1) this.#markFailing(message);
  }

  /** The state `failing`: an operator has to act. */
  #markFailing(message: string): void {
    this.#state = { kind: 'failing', message };
  }

  /** The state `away`: for a moment during a deliberate restart, else for an unknown time. */
  #markAway(): void {
    const message = 'The analytics database is starting again.';
    this.#restartEnd.resolve(undefined);
    if (this.#isClosed()) {
      this.#state = { kind: 'away', message };
      return;
    }
    // The reason of a failed start stays visible until a start succeeds.
    if (this.#state.kind === 'failing') return;
    if (this.#restartRequest.signal.aborted) {
      this.#restartEnd = Promise.withResolvers();
      this.#state = { kind: 'away', message, restartEnd: this.#restartEnd.promise };
    } else {
      this.#state = { kind: 'away', message };
    }
  }

  #isClosed(): boolean {
    return this.#stop.signal.aborted;
  }
}

/**
 * Waits until the disk of `path` has room for new definitions. Resolves with undefined when there is room, or with a
 * reason when the wait ended early. `onWait` is called after each check that finds too little room.
 */
async function waitForDiskRoom(
  path: string,
  process: EngineProcess,
  stop: AbortSignal,
  onWait: (reason: string, isFirst: boolean) => void,
): Promise<string | undefined> {
  const processEnd = new AbortController();
  void process.ended.then(() => processEnd.abort());
  const stopOrEnd = AbortSignal.any([stop, processEnd.signal]);
  for (let isFirst = true; ; isFirst = false) {
    const { bavail, bsize } = await statfs(path);
    const freeMiB = Math.floor((bavail * bsize) / MIB);
    if (freeMiB >= NEEDED_FREE_MIB) return undefined;
    const needText = `${NEEDED_FREE_MIB} MiB of free space on its disk, and ${freeMiB} MiB are free`;
    onWait(`a change of its tables needs ${needText}`, isFirst);
    await sleep(LOOK_EVERY_MS, undefined, { signal: stopOrEnd }).catch(() => undefined);
    if (stopOrEnd.aborted) return 'it ended while it waited for room';
  }
}

/**
 * Describes for callers why a start failed. Only the log has the paths. `isKnown` means that the next attempt will fail
 * in the same way. An unknown cause, such as a port that another program uses, can be gone at the next attempt.
 */
function describeStartFailure(reason: string): { message: string; isKnown: boolean } {
  const meaning = START_FAILURES.find(([sign]) => sign.test(reason))?.[1];
  return {
    message: `The analytics database cannot start: ${meaning ?? 'the log of Guard says why'}.`,
    isKnown: meaning !== undefined,
  };
}
