import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { until } from '../../analytics/src/testing/until.ts';
import { freePort } from '../../test/kit/free-port.ts';

/** The path in Debian's package. */
const JAR = '/usr/share/java/zookeeper.jar';

export interface Zookeeper {
  readonly port: number;
  /** Sends SIGKILL. Data that ZooKeeper acknowledged stays on disk, so `start` finds it. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** The command that installs ZooKeeper. Undefined when ZooKeeper is installed. */
export function zookeeperInstallHint(): string | undefined {
  return existsSync(JAR) ? undefined : 'apt-get install zookeeper';
}

/** Starts a ZooKeeper of one server on loopback. */
export async function startZookeeper(folder: string): Promise<Zookeeper> {
  const port = await freePort();
  const data = join(folder, 'zookeeper');
  const config = join(folder, 'zoo.cfg');
  mkdirSync(data);
  writeFileSync(
    config,
    `tickTime=500\ndataDir=${data}\nclientPort=${port}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n4lw.commands.whitelist=ruok\n`,
  );
  const mainClass = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
  let server: ReturnType<typeof spawn> | undefined;
  const zookeeper: Zookeeper = {
    port,
    async kill() {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
      const exitEvent = once(server, 'exit');
      server.kill('SIGKILL');
      await exitEvent;
    },
    async start() {
      server = spawn('java', ['-Xmx256m', '-cp', JAR, mainClass, config], { stdio: 'ignore' });
      await until('ZooKeeper answers', () => isServing(port));
    },
  };
  await zookeeper.start();
  return zookeeper;
}

async function isServing(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.end('ruok');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString() === 'imok';
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
