/** How a wait for a slot ended. The holder of a slot gives it back: it calls `release` once. */
export type Slot =
  { readonly kind: 'taken'; readonly release: () => void } | { readonly kind: 'full' | 'aborted' };

/** Lets a bounded number in, keeps a bounded number waiting in order, and turns the rest away. */
class Slots {
  readonly #max: number;
  readonly #maxWaiting: number;
  readonly #onIdle: () => void;
  readonly #waiting = new Set<(slot: Slot) => void>();
  #taken = 0;

  constructor(max: number, maxWaiting: number, onIdle: () => void) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
    this.#onIdle = onIdle;
  }

  take(signal: AbortSignal | undefined): Promise<Slot> {
    if (this.#taken < this.#max) {
      this.#taken += 1;
      return Promise.resolve(this.#slot());
    }
    if (this.#waiting.size >= this.#maxWaiting) return Promise.resolve({ kind: 'full' });
    return new Promise((resolve) => {
      const settle = (slot: Slot): void => {
        this.#waiting.delete(settle);
        signal?.removeEventListener('abort', onAbort);
        resolve(slot);
      };
      const onAbort = (): void => settle({ kind: 'aborted' });
      this.#waiting.add(settle);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #slot(): Slot {
    return {
      kind: 'taken',
      release: () => {
        const [next] = this.#waiting;
        if (next !== undefined) {
          next(this.#slot());
          return;
        }
        this.#taken -= 1;
        if (this.#taken === 0) this.#onIdle();
      },
    };
  }
}

/** Slots of each name: made when somebody takes one, forgotten when the last one is given back. */
export class SlotTable {
  readonly #max: number;
  readonly #maxWaiting: number;
  readonly #names = new Map<string, Slots>();

  /** Of each name, `max` may be taken and `maxWaiting` waited for at a time. */
  constructor(max: number, maxWaiting: number) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves when a slot is free, when there is no room to wait, or when the signal fires. */
  take(name: string, signal: AbortSignal | undefined): Promise<Slot> {
    if (signal?.aborted) return Promise.resolve({ kind: 'aborted' });
    let slots = this.#names.get(name);
    if (slots === undefined) {
      slots = new Slots(this.#max, this.#maxWaiting, () => this.#names.delete(name));
      this.#names.set(name, slots);
    }
    return slots.take(signal);
  }
}
