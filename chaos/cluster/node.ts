import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLUSTER, usersXml } from '../../analytics/src/database/access-config.ts';
import { sha256Hex } from '../../analytics/src/database/accounts.ts';
import {
  createDatabaseClient,
  type Account,
} from '../../analytics/src/database/database-client.ts';
import { askDirectly } from '../../analytics/src/testing/ask-directly.ts';
import { until } from '../../analytics/src/testing/until.ts';
import { serveParts } from './part-exchange.ts';

/** The shard and copy that a server holds, and its ports. */
export interface Place {
  readonly shard: number;
  readonly replica: number;
  readonly httpPort: number;
  readonly tcpPort: number;
}

export interface Node extends Place {
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  isUp(): boolean;
  /** The answer to a statement of an account, as trimmed text. */
  ask(account: Account, sql: string): Promise<string>;
}

export interface Surroundings {
  readonly folder: string;
  readonly libraryPath: string;
  readonly zookeeperPort: number;
  readonly writer: Account;
  readonly organisations: readonly string[];
}

const HOST = fileURLToPath(new URL('../../analytics/src/database/host.ts', import.meta.url));
/** The first address takes statements and pings, the second one parts: ClickHouse has a port for each kind. */
const STATEMENTS = '127.0.0.1';
const PARTS = '127.0.0.2';

/** Long, because tables can have many parts and the machine can be busy. */
const START_MS = 180_000;

/** The administrator. This account reads data that Guard's accounts may not see. */
export const administrator: Account = { user: 'administrator', password: 'of the administrator' };

/** Describes a server without starting it. `members`: the servers of its cluster. */
export function describeNode(
  surroundings: Surroundings,
  place: Place,
  members: readonly Place[],
): Node {
  const { shard, replica, httpPort } = place;
  const name = `s${shard}r${replica}`;
  const dataPath = join(surroundings.folder, name);
  const configPath = join(surroundings.folder, `${name}.xml`);
  const usersPath = join(surroundings.folder, `${name}-users.xml`);
  mkdirSync(dataPath);
  writeFileSync(
    usersPath,
    withAdministrator(usersXml(surroundings.writer, surroundings.organisations)),
  );
  writeFileSync(configPath, configOf(surroundings, place, usersPath, members));
  const client = createDatabaseClient(new URL(`http://${STATEMENTS}:${httpPort}/`));
  let engine: ChildProcess | undefined;

  return {
    ...place,
    ask: (account, sql) => askDirectly(client, account, sql),
    isUp: () => engine !== undefined && engine.exitCode === null && engine.signalCode === null,
    async start() {
      // Keeps the address of the parts until the engine serves parts there.
      const portHolder = createServer();
      portHolder.listen(httpPort, PARTS);
      await once(portHolder, 'listening');
      const log = [`--logger.log=${dataPath}.log`, '--logger.level=information'];
      const options = [`--config-file=${configPath}`, `--path=${dataPath}/`, ...log];
      engine = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', HOST, surroundings.libraryPath, '', ...options],
        { env: { TZ: 'UTC' }, stdio: ['pipe', 'ignore', 'ignore'], cwd: dataPath },
      );
      engine.stdin?.on('error', () => undefined);
      await until(`${name} answers`, () => client.ping(1000), START_MS);
      serveParts(engine.pid ?? 0, PARTS, httpPort);
      portHolder.close();
      await once(portHolder, 'close');
      for (const listener of ['HTTP', 'TCP']) {
        const startError = await askDirectly(
          client,
          administrator,
          `SYSTEM START LISTEN ${listener}`,
        );
        if (startError !== '') throw new Error(startError);
      }
    },
    async kill() {
      if (engine === undefined || engine.exitCode !== null || engine.signalCode !== null) return;
      const exitEvent = once(engine, 'exit');
      engine.kill('SIGKILL');
      await exitEvent;
    },
  };
}

function withAdministrator(users: string): string {
  const account = `<${administrator.user}>
      <password_sha256_hex>${sha256Hex(administrator.password)}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
    </${administrator.user}>`;
  return users.replace('</users>', `${account}</users>`);
}

function configOf(
  { zookeeperPort }: Surroundings,
  { shard, replica, tcpPort, httpPort }: Place,
  usersPath: string,
  members: readonly Place[],
): string {
  const shards = [...new Set(members.map((member) => member.shard))].map((number) => {
    const replicas = members
      .filter((member) => member.shard === number)
      .map((member) => `<replica><host>127.0.0.1</host><port>${member.tcpPort}</port></replica>`);
    return `<shard><internal_replication>true</internal_replication>${replicas.join('')}</shard>`;
  });
  return `<clickhouse>
  <users_config>${usersPath}</users_config>
  <listen_host>${STATEMENTS}</listen_host><listen_host>${PARTS}</listen_host><listen_try>1</listen_try>
  <http_port>${httpPort}</http_port><tcp_port>${tcpPort}</tcp_port>
  <max_server_memory_usage>1500000000</max_server_memory_usage>
  <zookeeper><node><host>127.0.0.1</host><port>${zookeeperPort}</port></node>
    <session_timeout_ms>4000</session_timeout_ms>
    <sessions_path>/sessions/${shard}-${replica}</sessions_path></zookeeper>
  <macros><shard>${shard}</shard><replica>${replica}</replica></macros>
  <remote_servers><${CLUSTER}><secret>of the cluster</secret>${shards.join('')}</${CLUSTER}></remote_servers>
</clickhouse>
`;
}
