/** The getter of a prototype's property. Undefined when there is none. */
export function getterOf(prototype: object, name: string): unknown {
  return field(Object.getOwnPropertyDescriptor(prototype, name), 'get');
}

/** A property by its name. Callers only inspect a method, and never call it without its object. */
export function field(holder: object | undefined, name: string): unknown {
  return holder && Reflect.get(holder, name);
}

/** True when the function belongs to the engine. Proxies and bound functions also print as native. */
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
