import { clipList } from '../clip.ts';
import { field, getterOf, isNative } from '../native-code.ts';
import type { Source } from '../source.ts';

/** Natives that disguises replace. Privacy extensions replace some of them too: facts, not a verdict. */
export const alteredNatives: Source<'alteredNatives'> = () => {
  const natives: [string, unknown][] = [
    ['Function.toString', field(Function.prototype, 'toString')],
    ['navigator.userAgent', getterOf(Navigator.prototype, 'userAgent')],
    ['navigator.platform', getterOf(Navigator.prototype, 'platform')],
    ['navigator.languages', getterOf(Navigator.prototype, 'languages')],
    ['navigator.plugins', getterOf(Navigator.prototype, 'plugins')],
    ['navigator.hardwareConcurrency', getterOf(Navigator.prototype, 'hardwareConcurrency')],
    ['Object.getOwnPropertyDescriptor', field(Object, 'getOwnPropertyDescriptor')],
    ['HTMLCanvasElement.getContext', field(HTMLCanvasElement.prototype, 'getContext')],
  ];
  const altered = natives.filter(([, native]) => native !== undefined && !isNative(native));
  return clipList(altered.map(([name]) => name));
};
