/**
 * Keeps the compiled form of a part of the settings while this part is in use. Each entry costs time in the garbage
 * collector, so use it only for parts that many rules or organisations share, such as a list. For example, 100,000
 * networks take 50 ms to compile.
 */
export class CompileOnce {
  readonly #compiledBySource = new WeakMap<object, unknown>();

  /** Returns the compiled form of a source. Each source must always come with the same `compile`. */
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
