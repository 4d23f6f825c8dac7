/** How a wait for a slot ended. The holder of a slot must call `release` once. */
type Slot =
  { readonly kind: 'taken'; readonly release: () => void } | { readonly kind: 'full' | 'aborted' };

/** The holders of one name's slots, and the callers that wait for one. */
interface Slots {
  taken: number;
  readonly waiting: Set<(slot: Slot) => void>;
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
  take(name: string, signal: AbortSignal | undefined): Promise<Slot> {
    if (signal?.aborted) return Promise.resolve({ kind: 'aborted' });
    const slots = this.#names.get(name) ?? { taken: 0, waiting: new Set() };
    this.#names.set(name, slots);
    if (slots.taken < this.#max) {
      slots.taken += 1;
      return Promise.resolve(this.#slot(name, slots));
    }
    if (slots.waiting.size >= this.#maxWaiting) return Promise.resolve({ kind: 'full' });
    return new Promise((resolve) => {
      const settle = (slot: Slot): void => {
        slots.waiting.delete(settle);
        signal?.removeEventListener('abort', onAbort);
        resolve(slot);
      };
      const onAbort = (): void => settle({ kind: 'aborted' });
      slots.waiting.add(settle);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #slot(name: string, slots: Slots): Slot {
    const release = (): void => {
      const [next] = slots.waiting;
      if (next !== undefined) {
        next(this.#slot(name, slots));
        return;
      }
      slots.taken -= 1;
      if (slots.taken === 0) this.#names.delete(name);
    };
    return { kind: 'taken', release };
  }
}

/**
 * One slot for all names, which take turns. At most one caller of each name is in the common queue, and the others of
 * that name wait behind it. So the number of names limits the length of the queue.
 */
export class FairSlot {
  readonly #ofNames: SlotTable;
  readonly #ofAll = new SlotTable(1, Infinity);

  /** @param maxWaiting callers of one name. */
  constructor(maxWaiting: number) {
    this.#ofNames = new SlotTable(1, maxWaiting);
  }

  async take(name: string, signal: AbortSignal | undefined): Promise<Slot> {
    const own = await this.#ofNames.take(name, signal);
    if (own.kind !== 'taken') return own;
    const turn = await this.#ofAll.take('', signal);
    if (turn.kind !== 'taken') {
      own.release();
      return turn;
    }
    const release = (): void => {
      turn.release();
      own.release();
    };
    return { kind: 'taken', release };
  }
}
