import { lstat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';

/**
 * Removes a unix socket file that no process answers on: a killed process leaves one behind, and it would
 * keep the next one from listening. A socket in use, and a file of any other kind, are left alone.
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
