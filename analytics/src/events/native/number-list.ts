const FIRST_LENGTH = 4096;

/** Whole numbers from 0 to 2^32 - 1, in a typed array that grows and is reused. */
export class NumberList {
  #numbers = new Uint32Array(FIRST_LENGTH);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#numbers.length) this.#grow(1);
    this.#numbers[this.#length++] = value;
  }

  /** Adds a copy of the numbers from position `start` up to `end`. */
  repeat(start: number, end: number): void {
    if (this.#length + end - start > this.#numbers.length) this.#grow(end - start);
    this.#numbers.copyWithin(this.#length, start, end);
    this.#length += end - start;
  }

  /** Returns the number at `index`. Returns NaN when `index` is after the end. */
  at(index: number): number {
    return index < this.#length ? (this.#numbers[index] ?? NaN) : NaN;
  }

  /** Returns the last number, or 0 for an empty list. */
  last(): number {
    return this.#length === 0 ? 0 : this.at(this.#length - 1);
  }

  /** Removes all numbers from position `length` on. */
  cut(length: number): void {
    this.#length = Math.min(this.#length, length);
  }

  /** Returns the numbers. They are valid until the next call of this list. */
  values(): Uint32Array {
    return this.#numbers.subarray(0, this.#length);
  }

  #grow(count: number): void {
    const larger = new Uint32Array(Math.max(2 * this.#numbers.length, this.#length + count));
    larger.set(this.#numbers);
    this.#numbers = larger;
  }
}
