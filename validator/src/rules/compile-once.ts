/**
 * What was compiled from a part of the settings, for as long as that is in use. Rules and organisations share such parts:
 * 100,000 networks of a list take 50 ms, and a preset has regular expressions.
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
