import { open, rename, unlink } from 'node:fs/promises';

/** The end of a file's name until the file is whole. */
export const UNFINISHED = '.part';

/**
 * Writes a file for its owner only: under another name first, so that it is either whole, or as it was
 * before. Rejects when it cannot be written.
 *
 * @param synced it also outlives the machine's loss of power.
 */
export async function writeWhole(
  path: string,
  body: string | readonly Buffer[],
  synced = true,
): Promise<void> {
  const unfinished = path + UNFINISHED;
  try {
    const file = await open(unfinished, 'w', 0o600);
    try {
      await file.writeFile(body);
      if (synced) await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await unlink(unfinished).catch(() => undefined);
    throw error;
  }
}
