import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLUSTER, usersXml } from '../database/access-config.ts';
import { organisationAccount, sha256Hex } from '../database/accounts.ts';
import { startEngineProcess } from '../database/engine-process.ts';
import { freePort } from '../../../test/kit/free-port.ts';
import type { EngineProcess } from '../database/engine-process.ts';
import { createDatabaseClient } from '../database/database-client.ts';
import type { Account, DatabaseClient } from '../database/database-client.ts';
import { findEngineLibrary } from '../database/library.ts';
import { askDirectly } from './ask-directly.ts';
import { openClusterProxy, type ServerBehind } from './cluster-proxy.ts';
import { until } from './until.ts';

type ShardNumber = 0 | 1;

/** Two servers that form one cluster, like a cluster of an operator. */
export interface TwoShards {
  /** The URL of the first shard. Guard connects to this shard. */
  readonly url: string;
  readonly writer: Account;
  /** Runs a statement with an account on one shard, without the gate. Returns the trimmed answer. */
  ask(shard: ShardNumber, account: Account, sql: string): Promise<string>;
  asOrganisation(shard: ShardNumber, organisation: string, sql: string): Promise<string>;
  /** The statements with ON CLUSTER, unchanged. */
  readonly onCluster: readonly string[];
  /** Kills the second shard, so that it ends as in a power cut. */
  loseSecond(): Promise<void>;
  bringSecondBack(): Promise<void>;
  /** Ports that the shards use between them. Answers to clients must not contain them. */
  readonly privatePorts: readonly number[];
  close(): Promise<void>;
}

/** The operator's account, which may start the listeners between the servers. */
const operator: Account = { user: 'operator', password: 'the password of the operator' };
const writer: Account = { user: 'writer', password: 'the password of the writer' };

interface Shard extends ServerBehind {
  readonly client: DatabaseClient;
  start(): Promise<void>;
  kill(): Promise<void>;
}

/**
 * @param kind With `copies` both servers are replicas of one shard. There is no Keeper, so a row stays on the server
 * that wrote it.
 */
export async function openTwoShards(
  organisations: readonly string[],
  kind: 'shards' | 'copies' = 'shards',
): Promise<TwoShards> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-shards-'));
  const usersPath = join(folder, 'users.xml');
  writeFileSync(usersPath, addOperator(usersXml(writer, organisations)));
  const ports = [await freePort(), await freePort()] as const;
  const shards = [
    await describeShard(folder, usersPath, membersOf(ports, kind), ports[0]),
    await describeShard(folder, usersPath, membersOf(ports, kind), ports[1]),
  ] as const;
  await Promise.all(shards.map((shard) => shard.start()));
  const proxy = await openClusterProxy(shards, () => Promise.resolve());

  return {
    url: proxy.url,
    writer,
    ask: (shard, account, sql) => askDirectly(shards[shard].client, account, sql),
    asOrganisation: (shard, organisation, sql) =>
      askDirectly(shards[shard].client, organisationAccount(organisation, writer.password), sql),
    onCluster: proxy.onCluster,
    loseSecond: () => shards[1].kill(),
    bringSecondBack: () => shards[1].start(),
    privatePorts: ports,
    async close() {
      proxy.close();
      for (const shard of shards) {
        shard.client.close();
        await shard.kill();
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** On a busy machine the other shard needs more time than the default of one second. */
const PATIENT = '<connect_timeout_with_failover_ms>10000</connect_timeout_with_failover_ms>';

function addOperator(users: string): string {
  const account = `<operator>
      <password_sha256_hex>${sha256Hex(operator.password)}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query></grants>
    </operator>`;
  return users
    .replace('<default>', `<default>${PATIENT}`)
    .replace('<organisation>', `<organisation>${PATIENT}`)
    .replace('</users>', `${account}</users>`);
}

function membersOf(ports: readonly number[], kind: 'shards' | 'copies'): string {
  const replicas = ports.map(
    (port) => `<replica><host>127.0.0.1</host><port>${port}</port></replica>`,
  );
  const shards = kind === 'shards' ? replicas : [replicas.join('')];
  return shards
    .map((shard) => `<shard><internal_replication>true</internal_replication>${shard}</shard>`)
    .join('');
}

async function describeShard(
  folder: string,
  usersPath: string,
  members: string,
  tcpPort: number,
): Promise<Shard> {
  const library = await findEngineLibrary();
  if (library.kind === 'missing') throw new Error(library.message);
  const { path: libraryPath } = library;
  const dataPath = join(folder, `shard-${tcpPort}`);
  const configPath = join(folder, `config-${tcpPort}.xml`);
  mkdirSync(dataPath);
  writeFileSync(
    configPath,
    `<clickhouse><users_config>${usersPath}</users_config><tcp_port>${tcpPort}</tcp_port>
    <remote_servers><${CLUSTER}><secret>of the cluster</secret>${members}</${CLUSTER}></remote_servers>
    </clickhouse>`,
  );
  const port = await freePort();
  const client = createDatabaseClient(new URL(`http://127.0.0.1:${port}/`));
  let engine: EngineProcess | undefined;
  return {
    client,
    httpPort: port,
    isUp: () => engine !== undefined,
    async start() {
      engine = startEngineProcess({ libraryPath, dataPath, configPath, port });
      await until('the shard answers', () => client.ping(1000));
      const refusal = await askDirectly(client, operator, 'SYSTEM START LISTEN TCP');
      if (refusal !== '') throw new Error(refusal);
    },
    async kill() {
      const killedEngine = engine;
      engine = undefined;
      await killedEngine?.kill();
    },
  };
}
