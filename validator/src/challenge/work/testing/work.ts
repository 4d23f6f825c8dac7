import { scryptSync } from 'node:crypto';
import { hasZeroBits, SCRYPT, TRY_BYTES } from '../../../../page-contract/scrypt.ts';

interface Work {
  readonly task: string;
  readonly counter: number;
}

/** Solves a task with scrypt of Node, as a program would. */
export const doWork = (task: string): Work => searchCounter(task, true);

/** Work that does not solve the task. The counter is tested, because a random counter can solve the task by chance. */
export const doWrongWork = (task: string): Work => searchCounter(task, false);

function searchCounter(task: string, shouldSolve: boolean): Work {
  const bits = Number.parseInt(task, 10);
  if (!(bits > 0)) throw new Error(`no task of work: ${task}`);
  for (let counter = 0; ; counter += 1) {
    const attempt = scryptSync(task, String(counter), TRY_BYTES, SCRYPT);
    if (hasZeroBits(attempt, bits) === shouldSolve) return { task, counter };
  }
}
