import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@guard/config/contract/ports';

/**
 * Returns a function that reads the age of the snapshot of the store in `folder`, in seconds. It looks at
 * the file, so a snapshot that could not be written, or was removed, shows too. Without a file the age is
 * the time since the call of createSnapshotAge.
 */
export function createSnapshotAge(folder: string, clock: Clock): () => number {
  const file = join(folder, 'store.snapshot');
  const openedAt = clock();
  return () => {
    const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? openedAt;
    return Math.max(0, Math.round((clock() - writtenAt) / 1000));
  };
}
