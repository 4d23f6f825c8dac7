import { MCP } from '@guard/config/contract/limits';
import type { FastifyPluginAsync } from 'fastify';
import { createDataServer, createDocsServer } from '../index.ts';

/** Admitted by the data server. The documentation server ignores it. */
export const KEY = { authorization: 'Bearer sk_api_ro_test' };

/** Each request comes a minute after the one before, so that no budget is used up. */
let now = 0;

/** Name, plugin, largest body in bytes, and the tools of both servers. There is no database. */
export const bothServers: readonly [string, FastifyPluginAsync, number, readonly string[]][] = [
  [
    'data',
    createDataServer({
      runQuery: () => Promise.resolve({ kind: 'unavailable', message: 'no database here' }),
      listColumns: () => Promise.resolve([]),
      authenticate: (authorization) =>
        authorization === KEY.authorization ? { organisation: 'acme', key: 'board' } : undefined,
    }),
    MCP.dataMaxBodyBytes,
    ['query', 'query_help', 'list_columns'],
  ],
  [
    'documentation',
    createDocsServer({ publicUrl: 'https://docs.example', clock: () => (now += 60_000) }),
    MCP.docsMaxBodyBytes,
    ['search_docs', 'get_page'],
  ],
];
