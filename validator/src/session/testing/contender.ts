/** A thread of a test. All threads of the test spend the same tickets and take from the same budgets. */
import { parentPort, workerData } from 'node:worker_threads';
import { DeadlineTable } from '../deadline-table.ts';

const { buffer, tickets, takesPerThread } = workerData as {
  readonly buffer: SharedArrayBuffer;
  readonly tickets: number;
  readonly takesPerThread: number;
};
const table = new DeadlineTable(buffer);
const won: number[] = [];
for (let i = 0; i < tickets; i++) if (table.spend(`ticket ${i}`, 1_000, 61_000)) won.push(i);
let taken = 0;
const budget = { requests: 5_000, perMs: 3_600_000 };
for (let i = 0; i < takesPerThread; i++) if (table.take('b', 'k', 1_000, budget) === 0) taken += 1;
const small = { subject: 'small', budget: { requests: 3_000, perMs: 3_600_000 } };
const large = { subject: 'large', budget: { requests: 4_000, perMs: 3_600_000 } };
let takenOfBoth = 0;
for (let i = 0; i < takesPerThread; i++)
  if (table.takeAll('b', [large, small], 1_000) === 0) takenOfBoth += 1;
parentPort?.postMessage({ won, taken, takenOfBoth });
