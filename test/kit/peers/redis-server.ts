import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { freePort } from '../free-port.ts';
import { poll } from '../http.ts';

/** A real redis-server on loopback. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Sends SIGSTOP: connections stay open, and no command is answered. */
  pause(): void;
  /** Sends SIGCONT. */
  resume(): void;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Starts the server again on the same port, with its data from the disk. */
  restart(): Promise<void>;
  /** The reply to one command, on a new connection. */
  ask<T>(...command: string[]): Promise<T>;
  /** Ends the server, and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a Redis that gives each change to the kernel before it answers, without a flush to the disk. So a kill of the
 * process loses no data, and no test waits for a disk. `options` are further arguments.
 */
export async function startRedis(
  options: readonly string[] = [],
  atPort?: number,
): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-redis-'));
  const port = atPort ?? (await freePort());
  const files = ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'no', '--save', ''];
  const address = ['--bind', '127.0.0.1', '--port', `${port}`];
  const url = `redis://127.0.0.1:${port}`;
  const start = async (): Promise<ChildProcess> => {
    const redisProcess = spawn('redis-server', [...address, ...files, ...options], {
      stdio: 'ignore',
    });
    await poll(
      () => accepts(port),
      (there) => there || redisProcess.exitCode !== null,
    );
    if (redisProcess.exitCode !== null) throw new Error('redis-server did not start');
    return redisProcess;
  };
  let server = await start();
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, 'exit');
    server.kill('SIGKILL');
    await exit;
  };
  return {
    url,
    port,
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    kill,
    async restart() {
      server = await start();
    },
    ask: <T>(...command: string[]) => askRedis<T>(url, ...command),
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The reply of a server to one command, on a new connection. */
export async function askRedis<T>(url: string, ...command: string[]): Promise<T> {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.sendCommand<T>(command);
  } finally {
    client.destroy();
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (there: boolean): void => {
      socket.destroy();
      resolve(there);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
