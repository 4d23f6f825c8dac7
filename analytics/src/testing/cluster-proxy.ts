import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CLUSTER } from '../database/access-config.ts';

export interface ServerBehind {
  readonly httpPort: number;
  isUp(): boolean;
}

export interface ClusterProxy {
  readonly url: string;
  /** The statements with ON CLUSTER, unchanged. */
  readonly onCluster: readonly string[];
  close(): void;
}

const ON_CLUSTER = ` ON CLUSTER \`${CLUSTER}\``;

/**
 * A proxy in front of a cluster. It passes each request to the first server that runs. The embedded engine cannot send
 * a statement ON CLUSTER to every server through Keeper (error 392), so the proxy sends each server the statement
 * without these words. When a server is away, the answer comes after the time limit of the statement. It is an error,
 * as in ClickHouse, or a success if the statement asks for success. The missing server does not get the statement
 * later.
 *
 * @param wait Waits this many seconds for a server that is away.
 */
export async function openClusterProxy(
  servers: readonly ServerBehind[],
  wait: (seconds: number) => Promise<unknown>,
): Promise<ClusterProxy> {
  const clusterStatements: string[] = [];

  async function relayRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const sql = body.toString();
    const isForCluster = sql.includes(ON_CLUSTER);
    const runningServers = servers.filter((server) => server.isUp());
    const relayedBody = isForCluster ? Buffer.from(sql.replace(ON_CLUSTER, '')) : body;
    if (isForCluster) clusterStatements.push(sql);
    const answers: Response[] = [];
    for (const server of isForCluster ? runningServers : runningServers.slice(0, 1)) {
      answers.push(await pass(server, request, relayedBody));
    }
    const answer = answers.find(({ ok }) => !ok) ?? answers[0];
    if (answer === undefined) throw new Error('no server runs');
    if (isForCluster && runningServers.length < servers.length) {
      await wait(Number(settingOf(request, 'distributed_ddl_task_timeout') ?? DEFAULT_WAIT_S));
      if (
        answer.ok &&
        settingOf(request, 'distributed_ddl_output_mode') !== 'null_status_on_timeout'
      ) {
        response.writeHead(500, { 'x-clickhouse-exception-code': '159' });
        response.end(
          'Code: 159. DB::Exception: Distributed DDL task is not finished. (TIMEOUT_EXCEEDED)',
        );
        return;
      }
    }
    for (const name of ['content-type', 'x-clickhouse-format', 'x-clickhouse-exception-code']) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.statusCode = answer.status;
    response.end(Buffer.from(await answer.arrayBuffer()));
  }

  const proxy = createServer((request, response) => {
    relayRequest(request, response).catch(() => response.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`,
    onCluster: clusterStatements,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

const DEFAULT_WAIT_S = 180;

function settingOf({ url = '/' }: IncomingMessage, name: string): string | null {
  return new URL(url, 'http://proxy').searchParams.get(name);
}

function pass(server: ServerBehind, request: IncomingMessage, body: Buffer): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.httpPort}${request.url ?? '/'}`, {
    method: request.method ?? 'GET',
    headers: headersOf(request),
    ...(request.method === 'POST' && { body: new Uint8Array(body) }),
  });
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
