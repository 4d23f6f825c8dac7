import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@guard/config/contract/ports';

/**
 * Reads how old the snapshot of the store in `folder` is, in seconds: by the file, so that one which
 * could not be written, or was taken away, shows as well. Without a file it is the time since this call.
 */
export function createSnapshotAge(folder: string, clock: Clock): () => number {
  const file = join(folder, 'store.snapshot');
  const openedAt = clock();
  return () => {
    const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? openedAt;
    return Math.max(0, Math.round((clock() - writtenAt) / 1000));
  };
}
