import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type StartedScript, startScriptOn } from '../measure/processes.ts';
import type { Workbench } from '../measure/workbench.ts';

const SCRIPT = join(import.meta.dirname, '..', 'targets', 'known-origin.ts');
const AWAY_MS = 3000;
/** Within this time after a restart, an error of the origin is not a fault of Guard. */
const SETTLE_MS = 5000;

export interface Origins {
  readonly urls: readonly string[];
  /**
   * True when at the given time (of `performance.now()`) all origins had been running for {@link SETTLE_MS}, and none
   * was killed since.
   */
  wereUpSince(atMs: number): boolean;
  /** Kills the next of the origins, and starts it again on its port some seconds later. */
  killOne(): Promise<void>;
}

export async function startOrigins(bench: Workbench, count: number): Promise<Origins> {
  const start = async (port: string) => bench.keep(await startScriptOn(0, SCRIPT, [port]));
  const running: StartedScript[] = [];
  for (let made = 0; made < count; made++) running.push(await start('0'));
  let turn = 0;
  let upSinceMs = performance.now() - SETTLE_MS;
  return {
    urls: running.map(({ line }) => line),
    wereUpSince: (atMs) => upSinceMs + SETTLE_MS <= atMs,
    async killOne() {
      const index = turn++ % count;
      const victim = running[index];
      if (victim === undefined) return;
      upSinceMs = Infinity;
      await victim.stop('SIGKILL');
      await sleep(AWAY_MS);
      running[index] = await start(new URL(victim.line).port);
      upSinceMs = performance.now();
    },
  };
}
