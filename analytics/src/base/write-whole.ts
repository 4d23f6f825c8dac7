import { open, rename, unlink } from 'node:fs/promises';

/** Suffix of a file that is not complete yet. */
export const UNFINISHED_SUFFIX = '.part';

/**
 * Writes a file that only its owner can read. At `path` there is always the complete new file or the unchanged old one.
 * With `isSynced` the file is also flushed to the disk, so that it survives a power failure. Rejects when the file
 * cannot be written.
 */
export async function writeWhole(
  path: string,
  body: string | readonly Buffer[],
  isSynced = true,
): Promise<void> {
  const unfinishedPath = path + UNFINISHED_SUFFIX;
  try {
    const file = await open(unfinishedPath, 'w', 0o600);
    try {
      await file.writeFile(body);
      if (isSynced) await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinishedPath, path);
  } catch (error) {
    await unlink(unfinishedPath).catch(() => undefined);
    throw error;
  }
}
