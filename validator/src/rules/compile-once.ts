/**
 * What was compiled from a part of the settings, for as long as that is in use. For parts that many rules or organisations
 * share: 100,000 networks of a list take 50 ms. Each entry costs time of the garbage collector.
 */
export class CompileOnce {
  readonly #compiled = new WeakMap<object, unknown>();

  /** A source is always compiled in the same way. */
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
