/** The block on its way to the database, the one that is made meanwhile, and what goes to disk of both. */
const MAX_KEPT = 4;
/** Smaller blocks are cheap enough to be made anew. */
const SMALLEST_KEPT_BYTES = 256 * 1024;
/** Sizes are multiples of this, so that a block fits where one of about its size was. */
const STEP_BYTES = 1024 * 1024;

/**
 * Memory of blocks that the database has, for the next ones. New memory is not free: the operating
 * system clears each page of it, and with some megabytes several times a second that is measured.
 */
export class BlockMemory {
  /** What was lent here. Other memory may have other holders. */
  readonly #own = new WeakSet<ArrayBufferLike>();
  readonly #free: ArrayBufferLike[] = [];

  /** Its content is undefined. */
  lend(bytes: number): Buffer {
    if (bytes < SMALLEST_KEPT_BYTES) return Buffer.allocUnsafe(bytes);
    const at = this.#free.findIndex(({ byteLength }) => byteLength >= bytes);
    const [known] = at < 0 ? [] : this.#free.splice(at, 1);
    const memory = known ?? newMemory(bytes);
    this.#own.add(memory);
    return Buffer.from(memory, 0, bytes);
  }

  /** The caller must not read `block` after this. It ignores a block that was not lent, or is back already. */
  giveBack({ buffer }: Buffer): void {
    if (!this.#own.delete(buffer)) return;
    // The oldest goes: after a flood of large blocks the sizes become those of the traffic again.
    if (this.#free.length === MAX_KEPT) this.#free.shift();
    this.#free.push(buffer);
  }
}

function newMemory(bytes: number): ArrayBufferLike {
  return Buffer.allocUnsafeSlow(Math.ceil(bytes / STEP_BYTES) * STEP_BYTES).buffer;
}
