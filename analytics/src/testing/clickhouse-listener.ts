import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import type { Analytics } from '../index.ts';

export interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly format: string | null;
  readonly body: Buffer;
  readonly text: string;
}

/** A listener for ClickHouse's HTTP interface, on a real socket. */
export interface ClickHouseListener {
  readonly url: string;
  /** Posts a statement; `search` is the query string. */
  ask(sql: string, search: string, headers: Readonly<Record<string, string>>): Promise<Answer>;
  /** Requests a path exactly as written. `fetch` would normalise it. */
  statusOf(path: string, authorization: string): Promise<number | undefined>;
  close(): Promise<void>;
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

export async function openClickHouseListener(
  analytics: Pick<Analytics, 'clickHouseRoutes'>,
): Promise<ClickHouseListener> {
  const app = Fastify();
  await app.register(analytics.clickHouseRoutes);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async ask(sql, search, headers) {
      const response = await fetch(`${url}/?${search}`, { method: 'POST', headers, body: sql });
      const body = Buffer.from(await response.arrayBuffer());
      const { headers: answerHeaders, status } = response;
      const code = answerHeaders.get('x-clickhouse-exception-code');
      return {
        status,
        code,
        format: answerHeaders.get('x-clickhouse-format'),
        body,
        text: body.toString(),
      };
    },
    statusOf: (path, authorization) =>
      new Promise((resolve, reject) => {
        const clientRequest = request({ port, path, headers: { authorization } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        clientRequest.once('error', reject).end();
      }),
    close: () => app.close(),
  };
}
