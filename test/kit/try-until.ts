import { poll } from './http.ts';

/**
 * Calls `act` every `intervalMs` until `look` finds its effect, because windows and dialogs accept keys a moment after
 * they appear. Fails after `timeoutMs`.
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
