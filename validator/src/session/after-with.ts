import type { MaybePromise } from '@guard/config/contract/ports';

/**
 * Calls `next` now when the value is there, and later when the value is a promise. Passes `context` to `next`, so that
 * no function has to be created for each request.
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
  return value.then((result) => next(result, context));
}
