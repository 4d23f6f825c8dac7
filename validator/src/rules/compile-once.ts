/**
 * Keeps the compiled form of a part of the settings while that part is in use. Use it only for parts that many rules or
 * organisations share, such as a list: 100,000 networks take 50 ms to compile. Each entry costs time in the garbage
 * collector.
 */
export class CompileOnce {
  readonly #compiledBySource = new WeakMap<object, unknown>();

  /** Each source must always be compiled in the same way. */
  compileOnce<Source extends object, Compiled>(
    source: Source,
    compile: (source: Source) => Compiled,
  ): Compiled {
    const knownForm = this.#compiledBySource.get(source) as Compiled | undefined;
    if (knownForm !== undefined) return knownForm;
    const newForm = compile(source);
    this.#compiledBySource.set(source, newForm);
    return newForm;
  }
}
