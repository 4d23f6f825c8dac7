/** How a wait for a slot ended. The holder of a slot must call `release` once. */
type SlotOutcome =
  { readonly kind: 'taken'; readonly release: () => void } | { readonly kind: 'full' | 'aborted' };

/** The holders of one name's slots, and the callers that wait for one. */
interface Slots {
  takenCount: number;
  readonly waiting: Set<(slot: SlotOutcome) => void>;
}

/** The slots of each name. An entry exists while a slot is taken. */
export class SlotTable {
  readonly #max: number;
  readonly #maxWaiting: number;
  readonly #names = new Map<string, Slots>();

  /** Each name may have `max` slots and `maxWaiting` waiting callers at a time. Callers keep their order. */
  constructor(max: number, maxWaiting: number) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves when a slot is free, when there is no room to wait, or when the signal fires. */
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
 * One slot for all names, which take turns. At most one caller of each name is in the common queue, and the others of
 * that name wait for their turn. So the number of names limits the length of the queue.
 */
export class FairSlot {
  readonly #nameSlots: SlotTable;
  readonly #commonSlot = new SlotTable(1, Infinity);

  /** `maxWaiting` callers of one name may wait. */
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
