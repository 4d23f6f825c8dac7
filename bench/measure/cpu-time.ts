import { readdirSync, readFileSync } from 'node:fs';

/** /proc counts in ticks: 100 ticks a second on every architecture on which Node runs. */
const US_A_TICK = 10_000;

export interface CpuTime {
  /** Microseconds of the process itself, with all of its threads. */
  readonly ownUs: number;
  /** Microseconds of its descendants. Guard has one: the database. */
  readonly childrenUs: number;
}

/** The CPU time of a process and its descendants so far (Linux). */
export function cpuTime(pid: number): CpuTime {
  let childrenUs = 0;
  for (const child of childrenOf(pid)) {
    const { ownUs, childrenUs: further } = cpuTime(child);
    childrenUs += ownUs + further;
  }
  const ownUs = [...threadTimesUs(pid).values()].reduce((sum, us) => sum + us, 0);
  return { ownUs, childrenUs };
}

/** The CPU time of each thread of a running process in microseconds, by the thread's id (Linux). */
export function threadTimesUs(pid: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    // The first number of the file is the run time in nanoseconds.
    const text = readIfThere(`/proc/${pid}/task/${task}/schedstat`);
    times.set(task, Number(text.split(' ', 1)[0] ?? 0) / 1000);
  }
  return times;
}

/** The CPU time of this process and of its ended children, in microseconds (proc_pid_stat(5)). */
export function cpuTimeHereUs(): number {
  const text = readFileSync('/proc/self/stat', 'utf8');
  // The second field is a name, and it can contain any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks * US_A_TICK;
}

/** Process ids of all descendants of a process (Linux). */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Process ids of the children of a process (Linux). */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readIfThere(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  );
}

/** A thread can end after it was listed and before it is read. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
