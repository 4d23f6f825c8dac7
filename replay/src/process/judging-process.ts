import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Settings } from '@guard/config/settings/schema';
import type { ComparisonResult } from '../judge/comparison.ts';

const PROGRAM = fileURLToPath(new URL('./judging-program.ts', import.meta.url));

/**
 * With this priority, the process gets a third of the gateway's share of a busy processor. With the lowest priority it
 * started too late.
 */
const NICE = 5;

interface ComparedSettings {
  readonly candidate: Settings;
  readonly against: Settings;
}

/** Messages to the process: first the settings, then log lines. */
export type JudgeMessage = ComparedSettings | readonly string[];

/**
 * Judges stored events in a process with a lower priority than the gateway. It is not a thread, because a thread that
 * runs out of memory could end the whole process of Guard.
 */
export class JudgingProcess {
  readonly #child: ChildProcess;
  readonly #startPromise = Promise.withResolvers<undefined>();
  #pendingResult: PromiseWithResolvers<ComparisonResult> | undefined;
  /** Why the process has ended. */
  #fault: Error | undefined;

  constructor({ heapMb, ...settings }: ComparedSettings & { readonly heapMb: number }) {
    this.#child = fork(PROGRAM, [], {
      execArgv: [`--max-old-space-size=${heapMb}`],
      // The process needs none of the secrets in the environment. It needs the folder of the compile cache, which
      // halves its start time.
      env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
      // Settings contain Maps, dates and bytes, which JSON cannot represent.
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // judging-program.ts sends `ready`, and then one answer to each call.
    this.#child.on('message', (message) => {
      if (message === 'ready') this.#startPromise.resolve(undefined);
      else this.#pendingResult?.resolve(message as ComparisonResult);
    });
    this.#startPromise.promise.catch(() => undefined);
    this.#child.on('error', (error) => {
      this.#failWith(error);
    });
    this.#child.once('exit', () => {
      this.#failWith(new Error('The replay needs more memory than it may have.'));
    });
    const { pid } = this.#child;
    if (pid !== undefined) setPriority(pid, NICE);
    this.#send(settings);
  }

  /** Resolves when the process can judge. Rejects when it ends before that. */
  get ready(): Promise<undefined> {
    return this.#startPromise.promise;
  }

  /**
   * Judges the lines. Only one call may run at a time. Resolves with the result so far. Rejects when the process has
   * ended.
   */
  judge(lines: readonly string[]): Promise<ComparisonResult> {
    const pendingResult = Promise.withResolvers<ComparisonResult>();
    this.#pendingResult = pendingResult;
    if (this.#fault) pendingResult.reject(this.#fault);
    else this.#send(lines);
    return pendingResult.promise;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  #send(message: JudgeMessage): void {
    this.#child.send(message, (error) => {
      if (error) this.#failWith(error);
    });
  }

  #failWith(fault: Error): void {
    this.#fault ??= fault;
    this.#startPromise.reject(this.#fault);
    this.#pendingResult?.reject(this.#fault);
  }
}
