import { open, rename, unlink } from 'node:fs/promises';

/** Suffix of a file that is not complete yet. */
export const UNFINISHED = '.part';

/**
 * Writes a file that only its owner can read. Writes it under another name and then renames it, so that the file is
 * either complete or unchanged. Rejects when that fails.
 *
 * @param synced also flush the file to the disk, so that it survives a power failure.
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
