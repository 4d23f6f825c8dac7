import { scryptSync } from 'node:crypto';
import { hasZeroBits, SCRYPT, TRY_BYTES } from '../../../../page-contract/scrypt.ts';

/** Solves a task with Node's scrypt, as a program would. */
export function doWork(task: string): { readonly task: string; readonly counter: number } {
  const bits = Number.parseInt(task, 10);
  if (!(bits > 0)) throw new Error(`no task of work: ${task}`);
  for (let counter = 0; ; counter += 1) {
    const attempt = scryptSync(task, String(counter), TRY_BYTES, SCRYPT);
    if (hasZeroBits(attempt, bits)) return { task, counter };
  }
}
