/**
 * Keeps the compiled form of a part of the settings while that part is in use. Use it only for parts that many rules or
 * organisations share, such as a list: 100,000 networks take 50 ms to compile. Each entry costs time in the garbage
 * collector.
 */
export class CompileOnce {
  readonly #compiled = new WeakMap<object, unknown>();

  /** Each source must always be compiled in the same way. */
  of<Source extends object, Compiled>(
    source: Source,
    compile: (source: Source) => Compiled,
  ): Compiled {
    const known = this.#compiled.get(source) as Compiled | undefined;
    if (known !== undefined) return known;
    const compiled = compile(source);
    this.#compiled.set(source, compiled);
    return compiled;
  }
}
