import { clipList } from '../clip.ts';
import { watchedNatives } from '../natives.ts';
import type { Source } from '../source.ts';

/**
 * Native functions that are a Proxy, although they may print like those of the browser. It uses a property that no
 * Proxy can hide. Privacy extensions replace some functions, so these are facts and no verdict.
 */
export const disguises: Source<'disguises'> = () => {
  const found = watchedNatives().filter(([, native]) => typeof native === 'function');
  // Functions are objects. The filter above left only functions.
  const proxied = found.filter(([, native]) => isProxy(native as object)).map(([name]) => name);
  return { proxied: clipList(proxied) };
};

/**
 * ECMAScript 10.1.2.1: an object cannot become its own ancestor, and the search for that ends at a
 * Proxy. So the prototype of a Proxy can be set to one of its heirs, and that of a function cannot.
 */
function isProxy(native: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(native);
  if (!Reflect.setPrototypeOf(native, Object.create(native) as object)) return false;
  Reflect.setPrototypeOf(native, prototype as object | null);
  return true;
}
