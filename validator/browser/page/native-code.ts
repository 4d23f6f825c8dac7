/** The getter of a prototype's property. Undefined when there is none. */
export function getterOf(prototype: object, name: string): unknown {
  return field(Object.getOwnPropertyDescriptor(prototype, name), 'get');
}

/** A property by its name. Callers inspect methods, and never call them. */
export function field(holder: object | undefined, name: string): unknown {
  return holder && Reflect.get(holder, name);
}

/**
 * True when the function prints as native code, as the engine's own functions do. Proxies and bound functions print in
 * the same form.
 */
export function isNative(candidate: unknown): boolean {
  const print = field(Function.prototype, 'toString');
  return (
    typeof print === 'function' &&
    typeof candidate === 'function' &&
    /^\s*(function|get|set)?[^(]*\([^)]*\)\s*\{\s*\[native code\]\s*\}\s*$/.test(
      String(Reflect.apply(print, candidate, [])),
    )
  );
}
