import { lstat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';

/**
 * Removes a unix socket file without a listening process. A killed process leaves such a file, which would keep the
 * next process from listening. A socket in use and other files are not touched.
 */
export async function removeAbandonedSocket(path: string): Promise<void> {
  if (await isAbandoned(path)) await unlink(path);
}

async function isAbandoned(path: string): Promise<boolean> {
  const file = await lstat(path).catch(() => undefined);
  if (file?.isSocket() !== true) return false;
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ECONNREFUSED');
    });
  });
}
