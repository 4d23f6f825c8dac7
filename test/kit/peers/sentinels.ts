import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { poll } from '../http.ts';
import { askRedis, type RedisServer, startRedis } from './redis-server.ts';

/** A primary, its replica, and three Sentinels that watch them. */
export interface WatchedRedis {
  /** The name that the Sentinels have for the primary. It is the host of `store.url`. */
  readonly url: string;
  readonly sentinels: readonly string[];
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  stop(): Promise<void>;
}

const NAME = 'shop';

export async function startWatchedRedis(): Promise<WatchedRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-sentinels-'));
  const primary = await startRedis();
  const replica = await startRedis(['--replicaof', '127.0.0.1', `${primary.port}`]);
  const ports = [await freePort(), await freePort(), await freePort()];
  const sentinels: ChildProcess[] = [];
  for (const port of ports) {
    const file = join(folder, `${port}.conf`);
    await writeFile(
      file,
      `port ${port}
bind 127.0.0.1
dir ${folder}
sentinel monitor ${NAME} 127.0.0.1 ${primary.port} 2
sentinel down-after-milliseconds ${NAME} 1000
sentinel failover-timeout ${NAME} 3000
`,
    );
    sentinels.push(spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' }));
  }
  const urls = ports.map((port) => `redis://127.0.0.1:${port}`);
  await poll(
    () => Promise.all(urls.map((url) => isWatching(url))),
    (watching) => watching.every(Boolean),
  );
  return {
    url: `redis://${NAME}/0`,
    sentinels: ports.map((port) => `127.0.0.1:${port}`),
    primary,
    replica,
    async stop() {
      for (const sentinel of sentinels) {
        const exit = once(sentinel, 'exit');
        sentinel.kill('SIGKILL');
        await exit;
      }
      await Promise.all([primary.stop(), replica.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** True when a Sentinel has found the replica and both other Sentinels. From then on a failover is possible. */
async function isWatching(url: string): Promise<boolean> {
  try {
    const [others, replicas] = await Promise.all([
      askRedis<unknown[]>(url, 'SENTINEL', 'SENTINELS', NAME),
      askRedis<unknown[]>(url, 'SENTINEL', 'REPLICAS', NAME),
    ]);
    return others.length === 2 && replicas.length === 1;
  } catch {
    return false;
  }
}
