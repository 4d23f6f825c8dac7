import type { Clock, EventSink, Log, Metrics } from '@guard/config/contract/ports';
import type { EventPrivacy } from '@guard/config/settings/sections/event-privacy';
import type { Batch } from './batch.ts';
import { BUFFER, EventBuffer } from './buffer.ts';

interface RelayOptions {
  /** What the settings withhold: here is where it would leave the thread. */
  readonly privacy: EventPrivacy | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /**
   * Takes a batch to the process's outbox, or what it has by now to its disk. It names only parts that were
   * not handed over before; with what can be handed over instead of copied.
   */
  readonly hand: (to: 'outbox' | 'disk', batch: Batch, transfer: readonly ArrayBuffer[]) => void;
  /** Batches that wait there, as far as it is known here. */
  readonly waiting: () => number;
}

/** Events of a thread that has no database of its own: it encodes them, and another thread sends them. */
export interface EventRelay {
  readonly sink: EventSink;
  /** Hands on what is left. What is recorded afterwards is dropped and counted. */
  close(): void;
}

export function openEventRelay(options: RelayOptions): EventRelay {
  const { privacy, clock, log, metrics, waiting } = options;
  /** Parts of the open batch that were handed over, together with their memory. */
  let handed = 0;
  function hand(to: 'outbox' | 'disk', batch: Batch): void {
    const parts = batch.parts.slice(handed);
    handed = to === 'outbox' ? 0 : batch.parts.length;
    options.hand(to, { ...batch, parts }, parts.flatMap(ownMemory));
  }
  const buffer = new EventBuffer({
    outbox: {
      put: (batch) => hand('outbox', batch),
      save: (batch) => hand('disk', batch),
      waiting,
      rows: () => 0,
    },
    privacy,
    clock,
    log,
    metrics,
  });
  const ticker = setInterval(() => buffer.tick(), BUFFER.tickMs);
  return {
    sink: buffer,
    close() {
      clearInterval(ticker);
      buffer.close();
    },
  };
}

/** Small buffers are cut from a pool, which must stay where it is. */
function ownMemory({ buffer, byteLength }: Buffer): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** Puts together what relays hand over. A thread has one open batch. */
export function createReceiver(): (to: 'outbox' | 'disk', batch: Batch) => Batch {
  const open = new Map<string, readonly Buffer[]>();
  return (to, batch) => {
    const { token } = batch;
    // What came from another thread is bytes; a part is a Buffer.
    const more = batch.parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.length));
    const parts = [...(open.get(token) ?? []), ...more];
    if (to === 'disk') open.set(token, parts);
    else open.delete(token);
    return { ...batch, parts };
  };
}
