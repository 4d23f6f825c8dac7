import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `read` again and again until it returns a value.
 *
 * @param lines the log so far. The error contains the last lines, because a failure on a slow machine is perhaps not
 * repeatable.
 *
 * @throws when `deadlineMs` have passed
 */
export async function until<T>(
  description: string,
  read: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 45_000,
  lines: readonly string[] = [],
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end)
      throw new Error([`Not in time: ${description}`, ...lines.slice(-5)].join('\n'));
    await sleep(20);
  }
}
