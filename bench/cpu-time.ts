import { readdirSync, readFileSync } from 'node:fs';

export interface CpuTime {
  /** The process itself, all of its threads, in microseconds. */
  readonly ownUs: number;
  /** Its descendants: of Guard, the database. */
  readonly childrenUs: number;
}

/** CPU time that a process and its descendants have used so far (Linux). */
export function cpuTime(pid: number): CpuTime {
  let childrenUs = 0;
  for (const child of childrenOf(pid)) {
    const { ownUs, childrenUs: further } = cpuTime(child);
    childrenUs += ownUs + further;
  }
  return { ownUs: threadTimes(pid), childrenUs };
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
