import type { MaybePromise } from '@guard/config/contract/ports';

/**
 * Calls `next` with the value: at once, or when the promise of the value resolves. Passes `context` to `next`, so that
 * a caller has to create no function for each request.
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
