import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until `read` gives something, and fails with `what` when it does not in time. */
export async function until<T>(
  what: string,
  read: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 45_000,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`Not in time: ${what}`);
    await sleep(20);
  }
}
