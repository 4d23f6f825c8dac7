import { field, getterOf } from './native-code.ts';

/**
 * Names and values of the native functions that disguises replace. The value is undefined when this browser lacks the
 * function.
 */
export function watchedNatives(): readonly (readonly [name: string, native: unknown])[] {
  return [
    ['Function.toString', field(Function.prototype, 'toString')],
    ['navigator.webdriver', getterOf(Navigator.prototype, 'webdriver')],
    ['navigator.userAgent', getterOf(Navigator.prototype, 'userAgent')],
    ['navigator.platform', getterOf(Navigator.prototype, 'platform')],
    ['navigator.vendor', getterOf(Navigator.prototype, 'vendor')],
    ['navigator.languages', getterOf(Navigator.prototype, 'languages')],
    ['navigator.plugins', getterOf(Navigator.prototype, 'plugins')],
    ['navigator.hardwareConcurrency', getterOf(Navigator.prototype, 'hardwareConcurrency')],
    ['Object.getOwnPropertyDescriptor', field(Object, 'getOwnPropertyDescriptor')],
    ['Permissions.query', prototypeField('Permissions', 'query')],
    ['HTMLMediaElement.canPlayType', field(HTMLMediaElement.prototype, 'canPlayType')],
    ['HTMLCanvasElement.getContext', field(HTMLCanvasElement.prototype, 'getContext')],
    ['WebGL.getParameter', prototypeField('WebGLRenderingContext', 'getParameter')],
  ];
}

/** A method of an interface that not every browser has. */
function prototypeField(name: string, method: string): unknown {
  const constructor = field(window, name);
  return typeof constructor === 'function'
    ? field(constructor.prototype as object, method)
    : undefined;
}
