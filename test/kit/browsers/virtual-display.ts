import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

export interface Display {
  /** The name of the display, such as `:99`. */
  readonly name: string;
  close(): Promise<void>;
}

/** Starts a new virtual screen. Xvfb chooses a free display number. */
export async function startDisplay(): Promise<Display> {
  const child = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1920x1080x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const exit = once(child, 'exit');
  // This is the fourth entry of `stdio`.
  const answer = child.stdio[3] as Readable;
  const first = await Promise.race([once(answer, 'data'), exit.then(() => undefined)]);
  if (!first) throw new Error('Xvfb did not start');
  return {
    name: `:${String(first[0]).trim()}`,
    async close() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}
