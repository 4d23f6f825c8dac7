import { clipList } from '../clip.ts';
import { watchedNatives } from '../natives.ts';
import type { Source } from '../source.ts';

/**
 * Finds native functions that are a Proxy, although they may print like native code. Privacy extensions replace some
 * functions too, so a Proxy alone is no proof of automation.
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
 * Whether a function is a Proxy (ECMAScript 10.1.2.1). An object cannot become its own ancestor, but the engine's check
 * for this stops at a Proxy. So only a Proxy accepts its own descendant as its prototype.
 */
function isProxy(native: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(native);
  if (!Reflect.setPrototypeOf(native, Object.create(native) as object)) return false;
  Reflect.setPrototypeOf(native, prototype as object | null);
  return true;
}
