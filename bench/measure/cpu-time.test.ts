import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { poll } from '../../test/kit/http.ts';
import { cpuTime, cpuTimeHereUs, threadTimesUs } from './cpu-time.ts';

/**
 * This program uses 200 ms of CPU time, also on a busy machine. It seldom checks its CPU time, because the check costs
 * system time.
 */
const WORK =
  'let n = 0; while (process.cpuUsage().user < 200_000) for (let i = 0; i < 1e6; i++) n += i;';
const AS_LONG_AS_TOLD = `${WORK} process.stdin.resume();`;

test.skipIf(process.platform !== 'linux')(
  'the CPU time of a started process is counted after the process has ended',
  () => {
    const beforeUs = cpuTimeHereUs();
    spawnSync(process.execPath, ['-e', WORK]);
    // The CPU time has a resolution of 10 ms.
    expect(cpuTimeHereUs() - beforeUs).toBeGreaterThanOrEqual(190_000);
  },
);

test.skipIf(process.platform !== 'linux')(
  'the CPU time of a child is separate from its parent’s, and includes all of its threads',
  async () => {
    const child = spawn(process.execPath, ['-e', AS_LONG_AS_TOLD], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const pid = child.pid ?? 0;
    try {
      const workedUs = () => Promise.resolve(threadTimesUs(pid).get(String(pid)) ?? 0);
      const mainThreadUs = await poll(workedUs, (us) => us >= 200_000);
      expect(cpuTime(pid).ownUs).toBeGreaterThanOrEqual(mainThreadUs);
      expect(cpuTime(process.pid).childrenUs).toBeGreaterThanOrEqual(200_000);
      expect(cpuTime(pid).childrenUs).toBe(0);
    } finally {
      const childExit = once(child, 'exit');
      child.stdin.end();
      await childExit;
    }
  },
);
