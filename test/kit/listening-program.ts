import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connects } from './connects.ts';

/** A running program that accepts connections. */
export interface ListeningProgram {
  readonly port: number;
  /** Ends the program, and removes its folder. */
  readonly close: () => Promise<void>;
}

/** Starts a program, and resolves when `port` accepts connections. `folder` is removed when the program ends. */
export async function startListening(
  [command, ...args]: readonly [string, ...string[]],
  port: number,
  folder: string,
): Promise<ListeningProgram> {
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  const exit = once(child, 'exit');
  const close = async () => {
    child.kill('SIGTERM');
    await exit;
    await rm(folder, { recursive: true, force: true });
  };
  if (await connects(port, () => child.exitCode === null)) return { port, close };
  await close();
  throw new Error(`${command} did not start: ${log}`);
}
