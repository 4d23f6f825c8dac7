import { scrypt } from 'node:crypto';
import { hasZeroBits, SCRYPT, TRY_BYTES } from '../../../page-contract/scrypt.ts';

/** Maximum number of parallel checks. Each check uses 4 MiB, and one thread of the pool for 6 ms. */
const MAX_AT_ONCE = 4;

let runningChecks = 0;

export function isCheckBusy(): boolean {
  return runningChecks >= MAX_AT_ONCE;
}

/**
 * Whether the hash of this counter starts with this many zero bits. Runs one scrypt in the thread pool. Work makes many
 * sessions expensive, but it does not show whether the sender is a person.
 */
export function isWorkDone(task: string, counter: number, bits: number): Promise<boolean> {
  runningChecks += 1;
  return new Promise<boolean>((resolve, reject) => {
    scrypt(task, String(counter), TRY_BYTES, SCRYPT, (error, attempt) => {
      if (error) reject(error);
      else resolve(hasZeroBits(attempt, bits));
    });
  }).finally(() => (runningChecks -= 1));
}
