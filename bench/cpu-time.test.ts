import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { poll } from '../test/kit/http.ts';
import { cpuTime, cpuTimeHereUs, threadTimesUs } from './cpu-time.ts';

/** Uses 200 ms of CPU, however busy the machine is. To ask costs the system more than the loop itself: so seldom. */
const WORK =
  'let n = 0; while (process.cpuUsage().user < 200_000) for (let i = 0; i < 1e6; i++) n += i;';
const AS_LONG_AS_TOLD = `${WORK} process.stdin.resume();`;

test.skipIf(process.platform !== 'linux')(
  'what a process used that was started here is counted when it has ended',
  () => {
    const before = cpuTimeHereUs();
    spawnSync(process.execPath, ['-e', WORK]);
    // Counted in hundredths of a second.
    expect(cpuTimeHereUs() - before).toBeGreaterThanOrEqual(190_000);
  },
);

test.skipIf(process.platform !== 'linux')(
  'what a child uses is not its parent’s own, and what its threads use is all of it',
  async () => {
    const child = spawn(process.execPath, ['-e', AS_LONG_AS_TOLD], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const pid = child.pid ?? 0;
    try {
      const worked = () => Promise.resolve(threadTimesUs(pid).get(String(pid)) ?? 0);
      const mainThreadUs = await poll(worked, (us) => us >= 200_000);
      expect(cpuTime(pid).ownUs).toBeGreaterThanOrEqual(mainThreadUs);
      expect(cpuTime(process.pid).childrenUs).toBeGreaterThanOrEqual(200_000);
      expect(cpuTime(pid).childrenUs).toBe(0);
    } finally {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    }
  },
);
