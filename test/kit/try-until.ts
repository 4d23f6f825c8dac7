import { poll } from './http.ts';

/**
 * Calls `act` every `intervalMs` until `look` finds the effect of `act`. Windows and dialogs accept keys only a moment
 * after they appear, so one call is not enough. Fails after `timeoutMs`.
 */
export async function tryUntil<T>(
  act: () => Promise<void>,
  look: () => readonly T[] | Promise<readonly T[]>,
  { intervalMs, timeoutMs }: { readonly intervalMs: number; readonly timeoutMs: number },
): Promise<readonly T[]> {
  let actedAt = 0;
  return poll(
    async () => {
      if (Date.now() - actedAt > intervalMs) {
        await act();
        actedAt = Date.now();
      }
      return look();
    },
    (found) => found.length > 0,
    timeoutMs,
  );
}
