import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { until } from './until.ts';

type ShardNumber = 0 | 1;

/** Two servers that know each other as the shards of one cluster, like a ClickHouse of the operator's own. */
export interface TwoShards {
  /** Where Guard is to connect: the first shard. */
  readonly url: string;
  readonly writer: Account;
  /** What the database answers to an account, without the gate; the text is trimmed. */
  ask(shard: ShardNumber, account: Account, sql: string): Promise<string>;
  asOrganisation(shard: ShardNumber, organisation: string, sql: string): Promise<string>;
  /** Statements that asked to be run on every server, as they came. */
  readonly onCluster: readonly string[];
  /** The second shard goes, as by a power cut. */
  loseSecond(): Promise<void>;
  bringSecondBack(): Promise<void>;
  /** Ports on which the shards speak to each other: no client may learn of them. */
  readonly privatePorts: readonly number[];
  close(): Promise<void>;
}

/** The account of the operator, who may let the servers listen to each other. */
const operator: Account = { user: 'operator', password: 'the password of the operator' };
const writer: Account = { user: 'writer', password: 'the password of the writer' };
const ON_CLUSTER = ` ON CLUSTER \`${CLUSTER}\``;

interface Shard {
  readonly client: DatabaseClient;
  readonly port: number;
  start(): Promise<void>;
  kill(): Promise<void>;
}

export async function openTwoShards(organisations: readonly string[]): Promise<TwoShards> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-shards-'));
  const usersPath = join(folder, 'users.xml');
  writeFileSync(usersPath, withOperator(usersXml(writer, organisations)));
  const ports = [await freePort(), await freePort()] as const;
  const shards = [
    await describeShard(folder, usersPath, ports, 0),
    await describeShard(folder, usersPath, ports, 1),
  ] as const;
  await Promise.all(shards.map((shard) => shard.start()));
  const onCluster: string[] = [];
  const door = await openDoor(shards, onCluster);

  return {
    url: `http://127.0.0.1:${(door.address() as AddressInfo).port}/`,
    writer,
    ask: (shard, account, sql) => ask(shards[shard].client, account, sql),
    asOrganisation: (shard, organisation, sql) =>
      ask(shards[shard].client, organisationAccount(organisation, writer.password), sql),
    onCluster,
    loseSecond: () => shards[1].kill(),
    bringSecondBack: () => shards[1].start(),
    privatePorts: ports,
    async close() {
      door.closeAllConnections();
      door.close();
      for (const shard of shards) {
        shard.client.close();
        await shard.kill();
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** On a busy machine the other shard takes longer to answer than the second that it is given. */
const PATIENT = '<connect_timeout_with_failover_ms>10000</connect_timeout_with_failover_ms>';

function withOperator(users: string): string {
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

async function describeShard(
  folder: string,
  usersPath: string,
  ports: readonly [number, number],
  number: ShardNumber,
): Promise<Shard> {
  const library = await findEngineLibrary();
  if (library.kind === 'missing') throw new Error(library.message);
  const { path: libraryPath } = library;
  const dataPath = join(folder, `shard-${number}`);
  const configPath = join(folder, `config-${number}.xml`);
  mkdirSync(dataPath);
  const replicas = ports.map(
    (port) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`,
  );
  writeFileSync(
    configPath,
    `<clickhouse><users_config>${usersPath}</users_config><tcp_port>${ports[number]}</tcp_port>
    <remote_servers><${CLUSTER}><secret>of the cluster</secret>${replicas.join('')}</${CLUSTER}></remote_servers>
    </clickhouse>`,
  );
  const port = await freePort();
  const client = createDatabaseClient(new URL(`http://127.0.0.1:${port}/`));
  let engine: EngineProcess | undefined;
  return {
    client,
    port,
    async start() {
      engine = startEngineProcess({ libraryPath, dataPath, configPath, port });
      await until('the shard answers', () => client.ping(1000));
      const refused = await ask(client, operator, 'SYSTEM START LISTEN TCP');
      if (refused !== '') throw new Error(refused);
    },
    kill: async () => engine?.kill(),
  };
}

async function ask(client: DatabaseClient, account: Account, sql: string): Promise<string> {
  const answer = await client.send({
    account,
    parameters: { database: 'default' },
    body: [Buffer.from(sql)],
    timeoutMs: 20_000,
    maxAnswerBytes: 1024 * 1024,
  });
  return answer.kind === 'answered' ? answer.body.toString().trim() : JSON.stringify(answer);
}

/**
 * The first shard as Guard sees it. These servers have no Keeper, through which others hand a
 * statement ON CLUSTER to every server: it is done here instead. Everything else is relayed as it is.
 */
async function openDoor(shards: readonly [Shard, Shard], onCluster: string[]): Promise<Server> {
  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const sql = body.toString();
    const everywhere = sql.includes(ON_CLUSTER);
    if (everywhere) onCluster.push(sql);
    const targets = everywhere ? shards : [shards[0]];
    for (const { port } of targets) {
      const answer = await fetch(`http://127.0.0.1:${port}${request.url ?? '/'}`, {
        method: request.method ?? 'GET',
        headers: headersOf(request),
        ...(request.method === 'POST' && { body: everywhere ? sql.replace(ON_CLUSTER, '') : body }),
      });
      response.statusCode = answer.status;
      for (const name of ['content-type', 'x-clickhouse-exception-code']) {
        const value = answer.headers.get(name);
        if (value !== null) response.setHeader(name, value);
      }
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.ok && port !== targets.at(-1)?.port) continue;
      response.end(bytes);
      return;
    }
  }
  const door = createServer((request, response) => {
    relay(request, response).catch(() => response.destroy());
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return door;
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const names = ['authorization', 'accept-encoding', 'content-type'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}
