import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineProcess } from './engine-process.ts';

/** Free space without which no definition of a table is changed, and how often it is looked for. */
const ROOM_MIB = 64;
const LOOK_EVERY_MS = 5000;
const MIB = 1024 ** 2;

/**
 * Resolves when the disk of `path` has room for new definitions, or with the reason why the wait has ended.
 *
 * @param waits told of what is waited for, at each look.
 */
export async function untilRoom(
  path: string,
  process: EngineProcess,
  told: AbortSignal,
  waits: (reason: string, isFirst: boolean) => void,
): Promise<string | undefined> {
  const over = new AbortController();
  void process.ended.then(() => over.abort());
  const either = AbortSignal.any([told, over.signal]);
  for (let isFirst = true; ; isFirst = false) {
    const { bavail, bsize } = await statfs(path);
    const free = Math.floor((bavail * bsize) / MIB);
    if (free >= ROOM_MIB) return undefined;
    const need = `${ROOM_MIB} MiB of free space on its disk, and ${free} MiB are free`;
    waits(`its tables are to be changed, which needs ${need}`, isFirst);
    await sleep(LOOK_EVERY_MS, undefined, { signal: either }).catch(() => undefined);
    if (either.aborted) return 'it ended while it waited for room';
  }
}
