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

type FinalOutcome = Exclude<InsertOutcome['kind'], 'retry'>;

export type Insert = (batch: Batch, signal: AbortSignal) => Promise<InsertOutcome>;

/** Resolves after `ms` milliseconds, or early when the signal fires; never rejects. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

interface OutboxOptions {
  readonly insert: Insert;
  readonly pause: Pause;
  /** Undefined when no batch is saved to disk. */
  readonly spill: Spill | undefined;
  /** Maximum number of bytes of batches in memory. Further batches go to disk. */
  readonly maxMemoryBytes: number;
  /** Called with an acknowledged batch when its bytes are not read any more. */
  readonly onAcknowledged?: (batch: Batch) => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 10_000;
/** Maximum number of batches that wait for a slow disk, in addition to the memory limit. */
const MAX_BEING_STORED = 2;

/**
 * Delivers batches to the database, one at a time. Each batch is retried until it is acknowledged or refused. A batch
 * without room in memory and on disk is dropped.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #batches: Batch[] = [];
  readonly #stop = new AbortController();
  #memoryBytes = 0;
  #pauseEnd = new AbortController();
  #delivery: Promise<void> | undefined;
  #storePromise = Promise.resolve();
  #removal = Promise.resolve();
  #canSave = true;
  readonly #unsavedBatches = new WeakSet<Batch>();
  /**
   * For each batch a promise that settles when no save reads the bytes any more. The key is the first part, because all
   * states of a batch share it.
   */
  readonly #readByFirstPart = new WeakMap<Buffer, Promise<unknown>>();
  #runningStores = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#start();
  }

  /** Saves the current state of a growing batch to disk. After a kill the next process sends it. */
  save(batch: Batch): void {
    this.#startSave(batch);
  }

  /**
   * Keeps a batch in memory and saves it to disk. When the memory is full, the batch goes only to disk. When the disk
   * is full too, the batch is dropped.
   */
  put(batch: Batch): void {
    const isFull = this.#memoryBytes + batch.bytes > this.#options.maxMemoryBytes;
    if (isFull && this.#batches.length > 0) {
      this.#overflow(batch);
      return;
    }
    this.#batches.push(batch);
    this.#memoryBytes += batch.bytes;
    this.#startSave(batch);
    this.#start();
  }

  /** Ends a pause between two attempts, because the database is available again. */
  wake(): void {
    this.#pauseEnd.abort();
  }

  /** Batches in memory, including the one that is being sent. */
  waitingBatches(): number {
    return this.#batches.length;
  }

  /** Rows in memory and on disk that are not acknowledged. */
  rows(): number {
    const spilledRows = this.#options.spill?.rows() ?? 0;
    return this.#batches.reduce((sum, batch) => sum + batch.rows, spilledRows);
  }

  /** Delivers until everything is written or `deadline` fires. Then saves the rest to disk. */
  async close(deadline: AbortSignal): Promise<void> {
    const stop = (): void => this.#stop.abort();
    if (deadline.aborted) stop();
    deadline.addEventListener('abort', stop, { once: true });
    await this.#storePromise;
    while (this.#delivery !== undefined) await this.#delivery;
    stop();
    for (const batch of this.#batches.splice(0)) await this.#store(batch);
    await this.#removal;
  }

  #start(): void {
    if (this.#stop.signal.aborted) return;
    this.#delivery ??= this.#deliverAll().finally(() => {
      this.#delivery = undefined;
      // A batch that came after the last check must not wait for the next batch.
      if (this.#batches.length > 0) this.#start();
    });
  }

  async #deliverAll(): Promise<void> {
    const { spill } = this.#options;
    for (;;) {
      const fromMemory = this.#batches[0];
      const batch = fromMemory ?? (await spill?.next());
      const finalOutcome = batch && (await this.#deliver(batch));
      if (batch === undefined || finalOutcome === undefined) return;
      if (fromMemory === undefined) {
        await spill?.remove(batch.token);
      } else {
        this.#batches.shift();
        this.#memoryBytes -= batch.bytes;
        // The removal runs in the background, so that the next batch can be sent.
        if (spill) this.#removal = spill.remove(batch.token);
        // After a refusal the database may still be reading the bytes.
        if (finalOutcome === 'written') this.#giveBack(batch);
      }
    }
  }

  /** Gives the memory back when no save reads it any more. The file of the batch can still exist. */
  #giveBack(batch: Batch): void {
    const { onAcknowledged } = this.#options;
    void (this.#readOf(batch) ?? Promise.resolve()).then(() => onAcknowledged?.(batch));
  }

  /** Tries again to save batches that are only in memory. Call this method regularly. */
  saveAgain(): void {
    const batch = this.#batches.find((candidate) => this.#unsavedBatches.has(candidate));
    if (batch !== undefined) this.#startSave(batch);
  }

  /** Saves a batch that is in memory. An earlier attempt may still be running. */
  #startSave(batch: Batch): void {
    const [first] = batch.parts;
    if (first === undefined) return;
    this.#readByFirstPart.set(
      first,
      Promise.all([this.#readByFirstPart.get(first), this.#save(batch)]),
    );
  }

  #readOf({ parts: [first] }: Batch): Promise<unknown> | undefined {
    return first && this.#readByFirstPart.get(first);
  }

  /**
   * When the disk has no room, rows wait only in memory. The log reports this once, and reports once when there is room
   * again.
   */
  async #save(batch: Batch): Promise<void> {
    const { spill, log } = this.#options;
    const saveResult = (await spill?.save(batch)) ?? 'saved';
    if (saveResult === 'saved') this.#unsavedBatches.delete(batch);
    else this.#unsavedBatches.add(batch);
    const canSave = saveResult === 'saved';
    if (saveResult === 'late' || canSave === this.#canSave) return;
    this.#canSave = canSave;
    if (canSave) log('info', 'analytics_rows_on_disk_again');
    else log('warn', 'analytics_rows_in_memory_only', { reason: 'they cannot be written to disk' });
  }

  /** Retries one batch until its final outcome. Resolves with undefined when the outbox stops before that. */
  async #deliver(batch: Batch): Promise<FinalOutcome | undefined> {
    const backoff = new Backoff(FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS);
    while (!this.#stop.signal.aborted) {
      this.#pauseEnd = new AbortController();
      const finalOutcome = await this.#attempt(batch);
      if (finalOutcome !== undefined) return finalOutcome;
      const wakeOrStop = AbortSignal.any([this.#pauseEnd.signal, this.#stop.signal]);
      await this.#options.pause(backoff.next(), wakeOrStop);
    }
    return undefined;
  }

  /** Makes one attempt. Resolves with undefined when another attempt has to follow. */
  async #attempt(batch: Batch): Promise<FinalOutcome | undefined> {
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

  /** Writes a batch only to disk, because the memory is full. */
  #overflow(batch: Batch): void {
    if (this.#runningStores >= MAX_BEING_STORED) {
      this.#drop(batch.rows, 'the disk is too slow');
      void this.#options.spill?.remove(batch.token);
      return;
    }
    this.#runningStores += 1;
    this.#storePromise = this.#storePromise.then(async () => {
      await this.#store(batch);
      this.#runningStores -= 1;
      this.#start();
    });
  }

  async #store(batch: Batch): Promise<void> {
    const { spill, metrics } = this.#options;
    const keptRows = (await spill?.put(batch)) ?? 0;
    if (keptRows > 0) metrics.count('guard_events_total', 'spilled', keptRows);
    if (keptRows < batch.rows) this.#drop(batch.rows - keptRows, 'no room in memory or on disk');
  }

  #drop(rows: number, reason: string): void {
    this.#options.metrics.count('guard_events_total', 'dropped', rows);
    this.#options.log('error', 'analytics_events_dropped', { rows, reason });
  }
}
