import fastify from 'fastify';
import { openAnalytics } from '../index.ts';
import { createRecorders } from './recorders.ts';
import type { DatabaseServer } from './server.ts';
import { until } from './until.ts';

export interface QueryServer {
  /** Sends a statement with the only key of `acme`. */
  query(sql: string): Promise<{ status: number; text: string; after: unknown }>;
  close(): Promise<void>;
}

/** Starts the database server, and a server with `POST /query` that uses it. `close` ends both servers. */
export async function openQueryServer(server: DatabaseServer): Promise<QueryServer> {
  await server.start();
  const { log, metrics } = createRecorders();
  const analytics = await openAnalytics({
    settings: { engine: 'clickhouse', url: server.url, ...server.writer },
    organisations: [{ id: 'acme' }],
    authenticate: () => ({ organisation: 'acme', key: 'only' }),
    clock: Date.now,
    log,
    metrics,
  });
  const app = fastify();
  await app.register(analytics.routes);
  const url = await app.listen();
  await until('the server is ready', () => analytics.ready());
  return {
    async query(body) {
      const headers = { authorization: 'Bearer x', 'content-type': 'text/plain' };
      const answer = await fetch(`${url}/query`, { method: 'POST', headers, body });
      const after = answer.headers.get('retry-after') ?? undefined;
      return { status: answer.status, text: await answer.text(), after };
    },
    async close() {
      await app.close();
      await analytics.close();
      await server.close();
    },
  };
}
