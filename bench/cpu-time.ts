import { readdirSync, readFileSync } from 'node:fs';

/** CPU time a process and all its descendants have used so far, in microseconds (Linux). */
export function cpuTimeUs(pid: number): number {
  let sum = threadTimes(pid);
  for (const child of childrenOf(pid)) sum += cpuTimeUs(child);
  return sum;
}

/** The scheduler's run time of each thread: nanoseconds, the first number of schedstat. */
function threadTimes(pid: number): number {
  let nanoseconds = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const text = readIfThere(`/proc/${pid}/task/${task}/schedstat`);
    nanoseconds += Number(text.split(' ', 1)[0] ?? 0);
  }
  return nanoseconds / 1000;
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readIfThere(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  );
}

/** A thread may end between listing and reading. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
