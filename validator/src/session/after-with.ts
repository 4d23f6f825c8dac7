import type { MaybePromise } from '@guard/config/contract/ports';

/**
 * Goes on with a value at once when it is there, and later only when it is a promise. `context` is what
 * `next` needs besides: no request makes a function for it.
 */
export function afterWith<T, With, U>(
  value: MaybePromise<T>,
  context: With,
  next: (value: T, context: With) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? later(value, context, next) : next(value, context);
}

function later<T, With, U>(
  value: Promise<T>,
  context: With,
  next: (value: T, context: With) => MaybePromise<U>,
): Promise<U> {
  return value.then((known) => next(known, context));
}
