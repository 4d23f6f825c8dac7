/** As much as one read takes at most (the size that libuv suggests). */
const BYTES = 64 * 1024;

/** The memory that one connection is read into, over and over while nobody holds on to what was read. */
export class ReadMemory {
  bytes = Buffer.allocUnsafeSlow(BYTES);
  /** Whether the next read may overwrite the last one. */
  free = true;

  /** Where the next read goes. */
  next(): Buffer {
    if (!this.free) {
      this.bytes = Buffer.allocUnsafeSlow(BYTES);
      this.free = true;
    }
    return this.bytes;
  }
}
