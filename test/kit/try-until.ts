import { poll } from './http.ts';

/**
 * Does something, and again every `intervalMs`, until `look` finds what it was done for: windows and
 * dialogs take keys a moment after they are there. Fails after `timeoutMs`.
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
