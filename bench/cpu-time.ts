import { readdirSync, readFileSync } from 'node:fs';

/** What /proc counts in: 100 a second on every architecture that Node runs on. */
const US_A_TICK = 10_000;

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
  const ownUs = [...threadTimesUs(pid).values()].reduce((sum, us) => sum + us, 0);
  return { ownUs, childrenUs };
}

/** CPU time of each thread of a process that runs, by the thread's id, in microseconds (Linux). */
export function threadTimesUs(pid: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    // The scheduler's run time: nanoseconds, the first number.
    const text = readIfThere(`/proc/${pid}/task/${task}/schedstat`);
    times.set(task, Number(text.split(' ', 1)[0] ?? 0) / 1000);
  }
  return times;
}

/** CPU time of this process and of those it started that have ended, in microseconds (proc_pid_stat(5)). */
export function cpuTimeHereUs(): number {
  const text = readFileSync('/proc/self/stat', 'utf8');
  // The second field is a name, in which anything may stand.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks * US_A_TICK;
}

/** Process ids of the children of a process, of theirs, and so on (Linux). */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Process ids of the children of a process (Linux). */
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
