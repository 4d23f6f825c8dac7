import { randomUUID } from 'node:crypto';
import type { DecisionEvent } from '@guard/config/contract/event';
import type { Clock, EventSink, Log, Metrics } from '@guard/config/contract/ports';
import type { EventPrivacy } from '@guard/config/settings/sections/event-privacy';
import type { Batch } from './batch.ts';
import { BlockBuilder } from './native/block.ts';
import type { BlockMemory } from './native/block-memory.ts';
import type { Outbox } from './outbox.ts';
import { privateColumns } from './columns/privacy.ts';

/** Limits for events from the request to the batch. */
export const BUFFER_LIMITS = {
  /** Maximum number of recorded events that are not encoded yet. */
  ringSize: 16_384,
  /** Events that are encoded in one turn of the event loop, so that requests need not wait. */
  encodedPerTurn: 256,
  /** Events that are encoded together. So a batch exceeds `batchBytes` by this many events at most. */
  encodedTogether: 32,
  // With smaller batches the database has more parts to merge. With 5,000 rows the database used a sixth more CPU per
  // row.
  batchRows: 10_000,
  batchBytes: 8 * 1024 * 1024,
  batchAgeMs: 1000,
  /** Rows of this age go to disk. In a flood of events whole batches go to disk sooner, each with one block. */
  savedAtMs: 200,
  /** How often the age of the rows is checked. */
  tickMs: 25,
} as const;

interface BufferOptions {
  readonly outbox: Pick<Outbox, 'put' | 'save' | 'waitingBatches' | 'rows'>;
  readonly privacy?: EventPrivacy | undefined;
  /** Provides the memory for batches. Without it each batch gets new memory. */
  readonly memory?: BlockMemory;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Makes batches from the events of requests. `record` only stores a reference, and a later turn encodes the event. */
export class EventBuffer implements EventSink {
  readonly #ring = new Array<DecisionEvent | undefined>(BUFFER_LIMITS.ringSize);
  readonly #block: BlockBuilder;
  readonly #allocate: ((bytes: number) => Buffer) | undefined;
  readonly #options: BufferOptions;
  /** The token of the open batch. `#parts` are its closed blocks. */
  #token = '';
  #parts: Buffer[] = [];
  #partRows = 0;
  #partBytes = 0;
  /** When the first row of the open block was added, in milliseconds of `performance.now()`. */
  #unsavedSince = 0;
  #oldestIndex = 0;
  #eventCount = 0;
  /** When the first row of the batch was added. */
  #openedAt = 0;
  #isScheduled = false;
  #isClosed = false;

  constructor(options: BufferOptions) {
    const { privacy, memory } = options;
    this.#options = options;
    this.#block = new BlockBuilder(privateColumns(privacy));
    this.#allocate = memory && ((bytes) => memory.lend(bytes));
  }

  record(event: DecisionEvent): void {
    if (this.#isClosed || this.#eventCount === BUFFER_LIMITS.ringSize) {
      this.#options.metrics.count('guard_events_total', 'dropped');
      return;
    }
    this.#ring[(this.#oldestIndex + this.#eventCount) % BUFFER_LIMITS.ringSize] = event;
    this.#eventCount += 1;
    this.#options.metrics.count('guard_events_total', 'recorded');
    if (!this.#isScheduled) this.#schedule();
  }

  /** Number of events that are recorded here, wait in the outbox, or are spilled. */
  queuedRows(): number {
    return this.#eventCount + this.#batchRows() + this.#options.outbox.rows();
  }

  /**
   * Passes on the open batch when it is old enough, else saves its rows to disk. Call this method every `tickMs`. While
   * the database is slow, the batch grows, so that the database gets no flood of small inserts afterwards.
   */
  tick(): void {
    const ageMs = this.#options.clock() - this.#openedAt;
    // An age below 0 means that the clock was set back. The batch must not wait until the clock has caught up.
    const isOld = ageMs < 0 || ageMs >= BUFFER_LIMITS.batchAgeMs;
    if (isOld && this.#options.outbox.waitingBatches() < 2) this.#flush();
    else this.#saveWhenDue();
  }

  /** Encodes the remaining events and passes them on. Later events are dropped and counted. */
  close(): void {
    this.#isClosed = true;
    while (this.#eventCount > 0) this.#encodeTurn();
    this.#flush();
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#encodeTurn();
      if (this.#eventCount > 0) this.#schedule();
    });
  }

  #encodeTurn(): void {
    const { encodedPerTurn, encodedTogether, batchRows, batchBytes } = BUFFER_LIMITS;
    let eventsLeft = Math.min(this.#eventCount, encodedPerTurn);
    while (eventsLeft > 0) {
      const count = Math.min(eventsLeft, encodedTogether, batchRows - this.#batchRows());
      this.#encode(this.#takeOldest(count));
      eventsLeft -= count;
      const bytes = this.#partBytes + this.#block.bytes;
      if (this.#batchRows() === batchRows || bytes >= batchBytes) this.#flush();
    }
  }

  #takeOldest(count: number): DecisionEvent[] {
    const events: DecisionEvent[] = [];
    for (let takenCount = 0; takenCount < count; takenCount += 1) {
      const event = this.#ring[this.#oldestIndex];
      this.#ring[this.#oldestIndex] = undefined;
      this.#oldestIndex = (this.#oldestIndex + 1) % BUFFER_LIMITS.ringSize;
      if (event !== undefined) events.push(event);
    }
    this.#eventCount -= count;
    return events;
  }

  #encode(events: readonly DecisionEvent[]): void {
    try {
      this.#block.add(events);
      if (this.#block.rows === events.length) this.#unsavedSince = performance.now();
      if (this.#batchRows() === events.length) this.#openBatch();
    } catch (error) {
      if (events.length > 1) {
        for (const event of events) this.#encode([event]);
        return;
      }
      // A malformed event must not end the process: its request was answered long ago.
      this.#options.metrics.count('guard_events_total', 'dropped');
      this.#options.log('error', 'analytics_event_malformed', { reason: String(error) });
    }
  }

  #openBatch(): void {
    this.#openedAt = this.#options.clock();
    this.#token = randomUUID();
  }

  #batchRows(): number {
    return this.#partRows + this.#block.rows;
  }

  #saveWhenDue(): void {
    if (this.#block.rows === 0) return;
    if (performance.now() - this.#unsavedSince < BUFFER_LIMITS.savedAtMs) return;
    this.#closeBlock();
    this.#options.outbox.save(this.#currentBatch());
  }

  #flush(): void {
    this.#closeBlock();
    if (this.#partRows > 0) this.#options.outbox.put(this.#currentBatch());
    this.#parts = [];
    this.#partRows = 0;
    this.#partBytes = 0;
  }

  /** Closes the open block and adds it to the batch. Each row is encoded once. */
  #closeBlock(): void {
    const { rows, bytes } = this.#block;
    if (bytes === 0) return;
    const part = this.#block.take(this.#allocate);
    // A malformed event can leave words in a dictionary that no row uses.
    if (rows === 0) return;
    this.#parts = [...this.#parts, part];
    this.#partRows += rows;
    this.#partBytes += part.length;
  }

  #currentBatch(): Batch {
    return {
      token: this.#token,
      rows: this.#partRows,
      bytes: this.#partBytes,
      parts: this.#parts,
    };
  }
}
