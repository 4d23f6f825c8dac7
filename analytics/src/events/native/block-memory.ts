/**
 * Maximum number of free blocks. Three blocks are in use at a time: the sent block, the block that is being filled, and
 * the disk writes of both.
 */
const MAX_FREE_BLOCKS = 4;
/** Smaller blocks are cheap enough to allocate again. */
const SMALLEST_KEPT_BYTES = 256 * 1024;
/** Sizes are multiples of this number. So the memory of one block fits the next block of about the same size. */
const STEP_BYTES = 1024 * 1024;

/**
 * Reuses the memory of blocks that the database has acknowledged. New memory costs time, because the operating system
 * clears each page. The cost was measurable for some megabytes several times a second.
 */
export class BlockMemory {
  /** Only memory that was lent here may be reused. Other code can still use other memory. */
  readonly #lentMemory = new WeakSet<ArrayBufferLike>();
  readonly #freeMemory: ArrayBufferLike[] = [];

  /** Lends memory for one block. The content is undefined. */
  lend(bytes: number): Buffer {
    if (bytes < SMALLEST_KEPT_BYTES) return Buffer.allocUnsafe(bytes);
    const at = this.#freeMemory.findIndex(({ byteLength }) => byteLength >= bytes);
    const [reused] = at < 0 ? [] : this.#freeMemory.splice(at, 1);
    const memory =
      reused ?? Buffer.allocUnsafeSlow(Math.ceil(bytes / STEP_BYTES) * STEP_BYTES).buffer;
    this.#lentMemory.add(memory);
    return Buffer.from(memory, 0, bytes);
  }

  /**
   * Takes back the memory of a lent block. The caller must not read `block` afterwards. Ignores memory that was not
   * lent here.
   */
  giveBack({ buffer }: Buffer): void {
    if (!this.#lentMemory.delete(buffer)) return;
    // The oldest memory is removed first. So after a flood of large blocks the sizes soon fit normal traffic again.
    if (this.#freeMemory.length === MAX_FREE_BLOCKS) this.#freeMemory.shift();
    this.#freeMemory.push(buffer);
  }
}
