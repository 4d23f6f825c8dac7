import type { Log, Metrics } from '@guard/config/contract/ports';
import { Backoff } from '@guard/config/time/backoff';
import type { Batch } from './batch.ts';
import type { Spill } from './spill.ts';

/** How one attempt to insert a batch ended. */
export type InsertOutcome =
  /** The database answered 200: the rows are acknowledged. */
  | { readonly kind: 'written' }
  /** The outcome is unknown, or the database failed for the moment. Send the same batch again later. */
  | { readonly kind: 'retry'; readonly reason: string }
  /** The database read the rows and refused them. Another attempt would fail in the same way. */
  | { readonly kind: 'rejected'; readonly reason: string };

/** The final outcome of a batch. */
type End = Exclude<InsertOutcome['kind'], 'retry'>;

export type Insert = (batch: Batch, signal: AbortSignal) => Promise<InsertOutcome>;

/** Resolves after `ms` milliseconds, or early when the signal fires; never rejects. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

interface OutboxOptions {
  readonly insert: Insert;
  readonly pause: Pause;
  /** Undefined without a disk for batches. */
  readonly spill: Spill | undefined;
  /** Most bytes of batches in memory. Further batches go to disk. */
  readonly maxMemoryBytes: number;
  /** Called with an acknowledged batch when its bytes are not read any more. */
  readonly done?: (batch: Batch) => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 10_000;
/** Most batches that wait for a slow disk, in addition to the memory limit. */
const MAX_BEING_STORED = 2;

/** Delivers batches to the database, one at a time. Each is retried until it is acknowledged or has no room. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #memory: Batch[] = [];
  readonly #stop = new AbortController();
  #memoryBytes = 0;
  #rest = new AbortController();
  #working: Promise<void> | undefined;
  #storing = Promise.resolve();
  #removing = Promise.resolve();
  #isOnDisk = true;
  readonly #unsaved = new WeakSet<Batch>();
  /** Settles when the disk has read the bytes. The key is the first part, which all states of a batch share. */
  readonly #reading = new WeakMap<Buffer, Promise<unknown>>();
  #beingStored = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#start();
  }

  /** Saves the current state of a growing batch to disk. After a kill the next process sends it. */
  save(batch: Batch): void {
    this.#keep(batch);
  }

  /** Takes a batch into memory and onto disk, with full memory only onto disk. If that fails, drops and counts it. */
  put(batch: Batch): void {
    const full = this.#memoryBytes + batch.bytes > this.#options.maxMemoryBytes;
    if (full && this.#memory.length > 0) {
      this.#overflow(batch);
      return;
    }
    this.#memory.push(batch);
    this.#memoryBytes += batch.bytes;
    this.#keep(batch);
    this.#start();
  }

  /** Ends a pause between two attempts, because the database is back. */
  wake(): void {
    this.#rest.abort();
  }

  /** Batches in memory, including the one that is being sent. */
  waiting(): number {
    return this.#memory.length;
  }

  /** Rows in memory and on disk that are not acknowledged. */
  rows(): number {
    const spilled = this.#options.spill?.rows() ?? 0;
    return this.#memory.reduce((sum, batch) => sum + batch.rows, spilled);
  }

  /** Delivers until everything is written or `deadline` fires. Then saves the rest to disk. */
  async close(deadline: AbortSignal): Promise<void> {
    const stop = (): void => this.#stop.abort();
    if (deadline.aborted) stop();
    deadline.addEventListener('abort', stop, { once: true });
    await this.#storing;
    while (this.#working !== undefined) await this.#working;
    stop();
    for (const batch of this.#memory.splice(0)) await this.#store(batch);
    await this.#removing;
  }

  #start(): void {
    if (this.#stop.signal.aborted) return;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      // Otherwise a batch that came after the last check would wait for the next batch.
      if (this.#memory.length > 0) this.#start();
    });
  }

  async #work(): Promise<void> {
    const { spill } = this.#options;
    for (;;) {
      const fromMemory = this.#memory[0];
      const batch = fromMemory ?? (await spill?.next());
      const end = batch && (await this.#deliver(batch));
      if (batch === undefined || end === undefined) return;
      if (fromMemory === undefined) {
        await spill?.remove(batch.token);
      } else {
        this.#memory.shift();
        this.#memoryBytes -= batch.bytes;
        // Does not wait for the removal, so that the next batch can be sent.
        if (spill) this.#removing = spill.remove(batch.token);
        // After a refusal the database may still be reading the bytes.
        if (end === 'written') this.#giveBack(batch);
      }
    }
  }

  /** Gives the memory back after the batch was saved. Its file may still exist. */
  #giveBack(batch: Batch): void {
    const { done } = this.#options;
    void (this.#readingOf(batch) ?? Promise.resolve()).then(() => done?.(batch));
  }

  /** Tries again to save batches that are only in memory. Call it regularly. */
  saveAgain(): void {
    const batch = this.#memory.find((candidate) => this.#unsaved.has(candidate));
    if (batch !== undefined) this.#keep(batch);
  }

  /** Saves a batch that is in memory. An earlier attempt may still be running. */
  #keep(batch: Batch): void {
    const [first] = batch.parts;
    if (first === undefined) return;
    this.#reading.set(first, Promise.all([this.#reading.get(first), this.#save(batch)]));
  }

  #readingOf({ parts: [first] }: Batch): Promise<unknown> | undefined {
    return first && this.#reading.get(first);
  }

  /** Without room on disk, rows wait only in memory. The log says this once, and once more when there is room again. */
  async #save(batch: Batch): Promise<void> {
    const { spill, log } = this.#options;
    const saved = (await spill?.save(batch)) ?? 'saved';
    if (saved === 'saved') this.#unsaved.delete(batch);
    else this.#unsaved.add(batch);
    const isOnDisk = saved === 'saved';
    if (saved === 'late' || isOnDisk === this.#isOnDisk) return;
    this.#isOnDisk = isOnDisk;
    if (isOnDisk) log('info', 'analytics_rows_on_disk_again');
    else log('warn', 'analytics_rows_in_memory_only', { reason: 'they cannot be written to disk' });
  }

  /** Retries one batch until its final outcome. Undefined when the outbox stops before. */
  async #deliver(batch: Batch): Promise<End | undefined> {
    const backoff = new Backoff(FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS);
    while (!this.#stop.signal.aborted) {
      this.#rest = new AbortController();
      const end = await this.#attempt(batch);
      if (end !== undefined) return end;
      const either = AbortSignal.any([this.#rest.signal, this.#stop.signal]);
      await this.#options.pause(backoff.next(), either);
    }
    return undefined;
  }

  /** One attempt. Undefined when another attempt has to follow. */
  async #attempt(batch: Batch): Promise<End | undefined> {
    const { insert, log, metrics } = this.#options;
    const outcome = await insert(batch, this.#stop.signal);
    switch (outcome.kind) {
      case 'written':
        metrics.count('guard_events_total', 'written', batch.rows);
        return outcome.kind;
      case 'rejected':
        this.#drop(batch.rows, outcome.reason);
        return outcome.kind;
      case 'retry':
        metrics.count('guard_events_total', 'retried', batch.rows);
        log('warn', 'analytics_insert_retry', { rows: batch.rows, reason: outcome.reason });
        return undefined;
    }
  }

  /** Memory is full, so the batch waits for the disk. */
  #overflow(batch: Batch): void {
    if (this.#beingStored >= MAX_BEING_STORED) {
      this.#drop(batch.rows, 'the disk is too slow');
      void this.#options.spill?.remove(batch.token);
      return;
    }
    this.#beingStored += 1;
    this.#storing = this.#storing.then(async () => {
      await this.#store(batch);
      this.#beingStored -= 1;
      this.#start();
    });
  }

  async #store(batch: Batch): Promise<void> {
    const { spill, metrics } = this.#options;
    const kept = (await spill?.put(batch)) ?? 0;
    if (kept > 0) metrics.count('guard_events_total', 'spilled', kept);
    if (kept < batch.rows) this.#drop(batch.rows - kept, 'no room in memory or on disk');
  }

  #drop(rows: number, reason: string): void {
    this.#options.metrics.count('guard_events_total', 'dropped', rows);
    this.#options.log('error', 'analytics_events_dropped', { rows, reason });
  }
}
