import { clipList } from '../clip.ts';
import { watchedNatives } from '../natives.ts';
import type { Source } from '../source.ts';

/**
 * Finds native functions that are a Proxy, although they may print like native code. It uses a property that no Proxy
 * can hide. Privacy extensions replace some functions, so the result is a fact and no verdict.
 */
export const disguises: Source<'disguises'> = () => {
  const functions = watchedNatives().filter(([, native]) => typeof native === 'function');
  // Functions are objects, and the filter above left only functions.
  const proxiedNames = functions
    .filter(([, native]) => isProxy(native as object))
    .map(([name]) => name);
  return { proxied: clipList(proxiedNames) };
};

/**
 * Whether a function is a Proxy (ECMAScript 10.1.2.1): an object cannot become its own ancestor, and the check for this
 * stops at a Proxy. So the prototype of a Proxy can be set to one of its descendants. For a real function this throws.
 */
function isProxy(native: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(native);
  if (!Reflect.setPrototypeOf(native, Object.create(native) as object)) return false;
  Reflect.setPrototypeOf(native, prototype as object | null);
  return true;
}
