import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * Registers the metrics of the whole process under their usual Prometheus names. Values that the system does not
 * provide are left out. The embedded database is not included, because it runs in another process.
 */
export function registerProcessMetrics(registry: Registry): void {
  const registers = [registry];
  let lastCpuS = 0;
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process, user and system, in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      const cpuS = (user + system) / 1e6;
      this.inc(Math.max(0, cpuS - lastCpuS));
      lastCpuS = cpuS;
    },
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(read());
      },
    });
  const startedAt = Math.round(performance.timeOrigin / 1000);
  gauge('process_resident_memory_bytes', 'Resident memory of the process, in bytes.', () =>
    process.memoryUsage.rss(),
  );
  gauge(
    'process_start_time_seconds',
    'When the process began, in seconds since 1970.',
    () => startedAt,
  );
  const maxOpenFiles = readMaxOpenFiles();
  if (maxOpenFiles === undefined) return;
  gauge(
    'process_open_fds',
    'Open files and sockets of the process.',
    () => readdirSync('/proc/self/fd').length,
  );
  gauge('process_max_fds', 'Files and sockets that the process may have open.', () => maxOpenFiles);
}

/** The limit of open files. Undefined without /proc or without a limit. */
function readMaxOpenFiles(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const softLimit = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return softLimit === undefined ? undefined : Number(softLimit);
  } catch {
    return undefined;
  }
}

/**
 * The returned function returns for how many seconds the event loop of this thread was busy since its last call. When
 * an event loop is nearly always busy, requests wait for each other.
 */
export function createBusySeconds(): () => number {
  let lastMs = 0;
  return () => {
    const { active: activeMs } = performance.eventLoopUtilization();
    const seconds = (activeMs - lastMs) / 1000;
    lastMs = activeMs;
    return Math.max(0, seconds);
  };
}
