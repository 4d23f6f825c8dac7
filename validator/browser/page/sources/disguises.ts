import { clipList } from '../clip.ts';
import { field, isNative } from '../native-code.ts';
import { watchedNatives } from '../natives.ts';
import type { Source } from '../source.ts';

/**
 * Natives that are not the browser's own although they may print so: seen with the `toString` of an
 * empty frame, and with what no Proxy can hide. Privacy extensions replace some: facts, not a verdict.
 */
export const disguises: Source<'disguises'> = ({ inside }) => {
  if (!inside) return undefined;
  const print = field(inside.Function.prototype, 'toString');
  const found = watchedNatives().filter(([, native]) => typeof native === 'function');
  const names = (is: (native: object) => boolean) =>
    // Functions are objects; the filter above kept nothing else.
    clipList(found.filter(([, native]) => is(native as object)).map(([name]) => name));
  return { foreign: names((native) => !isNative(native, print)), proxied: names(isProxy) };
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
