import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of one process, without its children, in MiB (Linux). */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** The number of open files and sockets of a process (Linux). */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
