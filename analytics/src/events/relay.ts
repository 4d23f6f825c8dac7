import type { Clock, EventSink, Log, Metrics } from '@guard/config/contract/ports';
import type { EventPrivacy } from '@guard/config/settings/sections/event-privacy';
import type { Batch } from './batch.ts';
import { BUFFER_LIMITS, EventBuffer } from './buffer.ts';

interface RelayOptions {
  /**
   * These settings name the values that must not be kept. The values are removed before the events leave the thread.
   */
  readonly privacy: EventPrivacy | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /**
   * Sends a batch to the outbox of the process, or saves its current state to disk. `batch` has only the parts that
   * were not sent before. `transfer` lists the memory that can be moved without a copy.
   */
  readonly send: (
    destination: 'outbox' | 'disk',
    batch: Batch,
    transfer: readonly ArrayBuffer[],
  ) => void;
  /** The last known number of batches that wait in the outbox. */
  readonly waiting: () => number;
}

/**
 * Relays the events of a thread that has no database connection. This thread encodes the events, and another thread
 * sends them.
 */
export interface EventRelay {
  readonly sink: EventSink;
  /** Sends the remaining events. Later events are dropped and counted. */
  close(): void;
}

export function openEventRelay(options: RelayOptions): EventRelay {
  const { privacy, clock, log, metrics, waiting } = options;
  /** The number of parts of the open batch that were already sent. */
  let sentParts = 0;
  function sendBatch(destination: 'outbox' | 'disk', batch: Batch): void {
    const parts = batch.parts.slice(sentParts);
    sentParts = destination === 'outbox' ? 0 : batch.parts.length;
    options.send(destination, { ...batch, parts }, parts.flatMap(movableMemory));
  }
  const buffer = new EventBuffer({
    outbox: {
      put: (batch) => sendBatch('outbox', batch),
      save: (batch) => sendBatch('disk', batch),
      waitingBatches: waiting,
      rows: () => 0,
    },
    privacy,
    clock,
    log,
    metrics,
  });
  const ticker = setInterval(() => buffer.tick(), BUFFER_LIMITS.tickMs);
  return {
    sink: buffer,
    close() {
      clearInterval(ticker);
      buffer.close();
    },
  };
}

/**
 * The memory of a part if it can be moved. Small buffers share the memory of a pool, which must stay in this thread.
 */
function movableMemory({ buffer, byteLength }: Buffer): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** Reassembles the batches that relays send. Each thread has one open batch. */
export function createReceiver(): (destination: 'outbox' | 'disk', batch: Batch) => Batch {
  const partsByToken = new Map<string, readonly Buffer[]>();
  return (destination, batch) => {
    const { token } = batch;
    // A Buffer from another thread arrives as a Uint8Array.
    const newParts = batch.parts.map((part) =>
      Buffer.from(part.buffer, part.byteOffset, part.length),
    );
    const parts = [...(partsByToken.get(token) ?? []), ...newParts];
    if (destination === 'disk') partsByToken.set(token, parts);
    else partsByToken.delete(token);
    return { ...batch, parts };
  };
}
