import { availableParallelism } from 'node:os';
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** The least growth of the heap from one full collection to the next. */
const MIN_GROWTH_BYTES = 64 * 1024 * 1024;
/** The least growth of a large heap, in percent of the heap in use. */
const MIN_PERCENT = 25;
/**
 * The growth when there are several threads. V8 has a single percentage for the heaps of all threads, and the heaps
 * differ in size.
 */
const PERCENT_FOR_THREADS = 50;

/** An entry of type `gc`. Node's types do not have its fields. */
interface CollectionEntry extends PerformanceEntry {
  readonly detail?: { readonly kind: number };
}

/**
 * Makes full garbage collections rare. Call it when the start has ended. `threads` is the number of threads that run a
 * gateway.
 *
 * V8 runs a full collection when the heap has grown by about a tenth. In Guard these are five megabytes, so under load
 * it happens once a second. A full collection stops Guard for 10 ms. In the 50 ms before that, up to four threads mark
 * objects. So on one processor requests wait for 20 to 40 ms.
 */
export function collectRarely(threads: number): void {
  if (availableParallelism() <= 2) setFlagsFromString('--concurrent-marking-max-worker-num=1');
  if (threads > 1) {
    setGrowth(PERCENT_FOR_THREADS);
    return;
  }
  growWithHeap();
  // V8 accepts only a percentage. The percentage for a small heap would let a large heap grow by 300 MB, so it is
  // computed again after each full collection.
  new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) growWithHeap();
  }).observe({ entryTypes: ['gc'] });
}

function growWithHeap(): void {
  const { used_heap_size: usedBytes } = getHeapStatistics();
  const percent = Math.round((100 * MIN_GROWTH_BYTES) / usedBytes);
  setGrowth(Math.max(percent, MIN_PERCENT));
}

/** V8 reads the percentage at the end of the next full collection. */
function setGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

function isFullCollection({ detail }: CollectionEntry): boolean {
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/**
 * Runs a full garbage collection once after the start and returns the memory to the system: some 80 MB in a tenth of
 * a second. V8 keeps the memory while little is allocated, so an idle Guard would never return it.
 *
 * The inspector can do this without a flag at the start of Node. In a Node without the inspector, the memory is kept.
 */
export async function giveBackStartMemory(): Promise<void> {
  if (!process.features.inspector) return;
  // The last objects that the start has awaited become garbage only after this turn.
  await turn();
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
