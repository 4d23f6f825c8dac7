import { scrypt } from 'node:crypto';
import { hasZeroBits, SCRYPT, TRY_BYTES } from '../../../page-contract/scrypt.ts';

/** Tries that are checked at the same time: each takes 4 MiB, and a thread of the pool for 6 ms. */
const MOST_AT_ONCE = 4;

let underWay = 0;

/** Whether the work of others leaves no room at the moment. */
export function isCheckBusy(): boolean {
  return underWay >= MOST_AT_ONCE;
}

/**
 * Whether the try of this counter begins with this many zero bits. One scrypt in the thread pool. Work makes sessions
 * cost something by the thousand, and proves nothing about who did it.
 */
export function isWorkDone(task: string, counter: number, bits: number): Promise<boolean> {
  underWay += 1;
  return new Promise<boolean>((resolve, reject) => {
    scrypt(task, String(counter), TRY_BYTES, SCRYPT, (error, attempt) => {
      if (error) reject(error);
      else resolve(hasZeroBits(attempt, bits));
    });
  }).finally(() => (underWay -= 1));
}
