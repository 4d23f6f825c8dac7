/** How a wait for a slot ended. The holder of a slot must call `release` once. */
type SlotOutcome =
  { readonly kind: 'taken'; readonly release: () => void } | { readonly kind: 'full' | 'aborted' };

/** For one name: the number of taken slots, and the callers that wait for a slot. */
interface Slots {
  takenCount: number;
  readonly waiting: Set<(slot: SlotOutcome) => void>;
}

/** The slots of each name. A name has an entry while one of its slots is taken. */
export class SlotTable {
  readonly #max: number;
  readonly #maxWaiting: number;
  readonly #names = new Map<string, Slots>();

  /**
   * Each name can have `max` taken slots and `maxWaiting` waiting callers at a time. Callers get slots in the order of
   * their calls.
   */
  constructor(max: number, maxWaiting: number) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves when a slot is free, when too many callers wait, or when the signal fires. */
  take(name: string, signal: AbortSignal | undefined): Promise<SlotOutcome> {
    if (signal?.aborted) return Promise.resolve({ kind: 'aborted' });
    const slots = this.#names.get(name) ?? { takenCount: 0, waiting: new Set() };
    this.#names.set(name, slots);
    if (slots.takenCount < this.#max) {
      slots.takenCount += 1;
      return Promise.resolve(this.#slot(name, slots));
    }
    if (slots.waiting.size >= this.#maxWaiting) return Promise.resolve({ kind: 'full' });
    return new Promise((resolve) => {
      const settle = (slot: SlotOutcome): void => {
        slots.waiting.delete(settle);
        signal?.removeEventListener('abort', onAbort);
        resolve(slot);
      };
      const onAbort = (): void => settle({ kind: 'aborted' });
      slots.waiting.add(settle);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #slot(name: string, slots: Slots): SlotOutcome {
    const release = (): void => {
      const [nextCaller] = slots.waiting;
      if (nextCaller !== undefined) {
        nextCaller(this.#slot(name, slots));
        return;
      }
      slots.takenCount -= 1;
      if (slots.takenCount === 0) this.#names.delete(name);
    };
    return { kind: 'taken', release };
  }
}

/**
 * All names share one slot and take turns. The common queue has at most one caller of each name. The other callers of a
 * name wait in the queue of this name. So the number of names limits the length of the common queue.
 */
export class FairSlot {
  readonly #nameSlots: SlotTable;
  readonly #commonSlot = new SlotTable(1, Infinity);

  /** At most `maxWaiting` callers of one name can wait. */
  constructor(maxWaiting: number) {
    this.#nameSlots = new SlotTable(1, maxWaiting);
  }

  async take(name: string, signal: AbortSignal | undefined): Promise<SlotOutcome> {
    const nameSlot = await this.#nameSlots.take(name, signal);
    if (nameSlot.kind !== 'taken') return nameSlot;
    const commonSlot = await this.#commonSlot.take('', signal);
    if (commonSlot.kind !== 'taken') {
      nameSlot.release();
      return commonSlot;
    }
    const release = (): void => {
      commonSlot.release();
      nameSlot.release();
    };
    return { kind: 'taken', release };
  }
}

/** The requests that run now. */
export class RunningRequests {
  readonly #requests = new Set<Promise<unknown>>();

  /** Returns the request. It runs until it is settled. */
  async follow<T>(request: Promise<T>): Promise<T> {
    this.#requests.add(request);
    try {
      return await request;
    } finally {
      this.#requests.delete(request);
    }
  }

  /** Resolves when all requests have ended that run at the time of the call, or when the signal fires. */
  async untilEnded(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return;
    const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
    const onAbort = (): void => resolve(undefined);
    signal?.addEventListener('abort', onAbort, { once: true });
    await Promise.race([aborted, Promise.allSettled(this.#requests)]);
    signal?.removeEventListener('abort', onAbort);
  }
}
