// All programs of the examples are plain JavaScript, so that every `node` from version 20 on can run them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const GUARD = fileURLToPath(new URL('../bin/guard.mjs', import.meta.url));

/**
 * Starts Guard from a settings file, and resolves when Guard is ready. `env` has the values for `${NAME}` in the file.
 * SIGINT or SIGTERM to this process also ends Guard.
 */
export async function startGuard(settings, env) {
  const child = spawn(
    process.execPath,
    [GUARD, 'start', '--config', fileURLToPath(settings), '--json'],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const ready = once(createInterface(child.stdout), 'line');
  const first = await Promise.race([ready, exited.then(() => undefined)]);
  if (first === undefined) throw new Error('Guard did not start.');
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void stop().then(() => process.exit(0)));
  }
  return { addresses: JSON.parse(first[0]).addresses, stop };
}
